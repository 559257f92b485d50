// What both programs do around a training: they check the paths first, log how it goes, save, and
// say at the end what there is and how to go on.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "app/error_text.h"
#include "app/json_lines.h"
#include "app/verb.h"

namespace cane::cli {

/// Throws Error if no file can be made there: a training of hours must not be lost for want of a
/// place to put the model.
void check_model_path(const std::string& path, const std::string& option = "--model");

/// The place of the checkpoint of a model.
std::string checkpoint_path_of(const std::string& model_path);

/// Says that a checkpoint of an earlier training will be lost, where there is one.
void warn_of_overwritten(const std::string& checkpoint_path);

/// Runs it; an exception becomes an event of the log, too.
template <typename Run>
int run_logged(JsonLines& log, const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    JsonObject fields;
    fields.set("text", with_flags(error.what()));
    log.write("error", fields);
    throw;
  }
}

/// A training that is over or was interrupted, with its model saved.
struct TrainingEnd {
  std::string model_path;
  std::string chosen;  // which model it is, say " of epoch 3"; empty: there is no choice
  std::uint32_t epochs = 0;
  std::uint32_t epochs_wanted = 0;
  std::uint32_t patience = 0;
  bool interrupted = false;
  bool stopped_early = false;
  double seconds = 0.0;           // of all, with reading and validation
  double training_seconds = 0.0;  // 0: it was resumed after its last epoch
  std::uint64_t units_in_epoch = 0;
  const char* unit = "examples";
};

/// Logs it with `fields` added, tells the user, and removes the checkpoint of what is finished.
/// `command` (a program and its verb) and `arguments` make the command that goes on. Returns the
/// exit code.
int finish_training(const TrainingEnd& end, const std::string& command, const Arguments& arguments,
                    bool quiet, JsonLines& log, const JsonObject& fields = {});

}  // namespace cane::cli
