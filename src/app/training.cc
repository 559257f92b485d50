#include "app/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/error_text.h"
#include "app/say.h"
#include "cane/error.h"
#include "core/base/memory.h"
#include "core/base/words.h"
#include "core/file/output_target.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

// What is written to a pipe or a device has no size.
std::uint64_t size_of(const std::string& path) {
  std::error_code problem;
  const std::uint64_t size = fs::file_size(path, problem);
  return problem ? 0 : size;
}

bool has_place_next_to(const std::string& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return !fs::exists(status) || fs::is_regular_file(status);
}

void log_end(const TrainingEnd& end, JsonLines& log, const Json* more) {
  Json fields = Json::object();
  fields["model"] = end.model_path;
  fields["bytes"] = size_of(end.model_path);
  fields["epochs"] = end.epochs;
  fields["stopped_early"] = end.stopped_early;
  fields["seconds"] = end.seconds;
  fields["checkpoints"] = end.checkpoints.written;
  fields["checkpoint_bytes"] = end.checkpoints.bytes;
  fields["checkpoint_seconds"] = end.checkpoints.seconds;
  if (more != nullptr) fields.update(*more);
  log.write(end.interrupted ? "interrupted" : "end", fields);
}

// Printed even with --quiet, since it says how to keep the work.
void print_interrupted(const TrainingEnd& end, const std::string& command, Arguments arguments) {
  if (std::ranges::find(arguments, "--resume") == arguments.end()) {
    arguments.emplace_back("--resume");
  }
  const std::string checkpoint = checkpoint_path_of(end.model_path);
  const bool is_kept = fs::exists(checkpoint) && end.checkpoints.is_own;
  say("interrupted after {} of {} epochs; ", end.epochs, end.epochs_wanted);
  if (!is_kept && !end.is_saved) return say("nothing was written\n");
  say("saved {}{}{}\n", end.is_saved ? end.model_path : "", end.is_saved && is_kept ? " and " : "",
      is_kept ? checkpoint : "");
  if (is_kept) say("to go on: {}\n", command_line(command, arguments));
}

void print_end(const TrainingEnd& end) {
  if (end.stopped_early) {
    say("stopped early: {} epochs brought nothing better\n", end.patience);
  }
  say("saved {}{}, {}; {} epochs in {}", end.model_path, end.chosen,
      bytes_as_text(size_of(end.model_path)), end.epochs, seconds_text(end.seconds));
  if (end.training_seconds > 0.0) {
    const double rate = static_cast<double>(end.units_in_epoch) * end.epochs / end.training_seconds;
    say(", {} {} per second in training", count_text(static_cast<std::uint64_t>(rate)), end.unit);
  }
  if (const CheckpointReport& checkpoints = end.checkpoints; checkpoints.written > 0) {
    say("; {} {} of {} held it up for {}", checkpoints.written,
        checkpoints.written == 1 ? "checkpoint" : "checkpoints", bytes_as_text(checkpoints.bytes),
        seconds_text(checkpoints.seconds));
  }
  say("\n");
}

}  // namespace

std::string checkpoint_path_of(const std::string& model_path) {
  if (model_path.empty() || !has_place_next_to(model_path)) return "";
  return model_path + ".checkpoint";
}

OutputFile checkpoint_output(const std::string& model_path, FileKind kind, bool resumes) {
  return {.option = "the checkpoint of --model",
          .path = checkpoint_path_of(model_path),
          .kind = kind,
          .instead = resumes ? "" : "`train --resume` goes on with its training"};
}

void log_error(const std::exception& error, JsonLines& log) {
  Json fields = Json::object();
  fields["text"] = with_flags(error.what());
  log.write("error", fields);
}

int finish_training(const TrainingEnd& end, const std::string& command, const Arguments& arguments,
                    bool quiet, JsonLines& log, const Json* more) {
  log_end(end, log, more);
  if (end.interrupted) {
    print_interrupted(end, command, arguments);
    return kExitInterrupted;
  }
  if (end.checkpoints.is_own) remove_output(checkpoint_path_of(end.model_path));
  if (!quiet) print_end(end);
  return kExitDone;
}

}  // namespace cane::cli
