// The work around training that both programs share: they check the paths first, log progress,
// save, and report at the end what was made and how to continue.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "app/file_guard.h"
#include "app/json_lines.h"
#include "app/verb.h"
#include "cane/train.h"

namespace cane::cli {

/// The path of the checkpoint of a model; empty for none: a pipe or a device has no place for one.
std::string checkpoint_path_of(const std::string& model_path);

/// The checkpoint of a model as an output. One of an earlier training is work that only --resume,
/// or a user who gives --overwrite, may replace.
OutputFile checkpoint_output(const std::string& model_path, FileKind kind, bool resumes);

void log_error(const std::exception& error, JsonLines& log);
/// Runs it; an exception is also logged as an event.
template <typename Run>
int run_logged(JsonLines& log, const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    log_error(error, log);
    throw;
  }
}

/// A training run that has ended or was interrupted.
struct TrainingEnd {
  std::string model_path;
  bool is_saved = true;  // the model; otherwise the checkpoint has all there is
  std::string chosen;    // which model it is, say " of epoch 3"; empty: there is no choice
  std::uint32_t epochs = 0;
  std::uint32_t epochs_wanted = 0;
  std::uint32_t patience = 0;
  bool interrupted = false;
  bool stopped_early = false;
  double seconds = 0.0;           // total, with reading and validation
  double training_seconds = 0.0;  // 0: it was resumed after its last epoch
  std::uint64_t units_in_epoch = 0;
  const char* unit = "examples";
  CheckpointReport checkpoints = {};
};

/// Logs the end with `more` added, tells the user, and removes the checkpoint of a finished run.
/// `command` (a program and its verb) and `arguments` form the command that continues it. Returns
/// the exit code.
int finish_training(const TrainingEnd& end, const std::string& command, const Arguments& arguments,
                    bool quiet, JsonLines& log, const Json* more = nullptr);

}  // namespace cane::cli
