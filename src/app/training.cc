#include "app/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cane/error.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

void log_end(const TrainingEnd& end, JsonLines& log, const JsonObject& more) {
  JsonObject fields;
  fields.set("model", end.model_path);
  fields.set("bytes", fs::file_size(end.model_path));
  fields.set("epochs", end.epochs);
  fields.set("stopped_early", end.stopped_early);
  fields.set("seconds", end.seconds);
  fields.merge(more);
  log.write(end.interrupted ? "interrupted" : "end", fields);
}

// Printed even with --quiet, since it says how to keep the work.
void print_interrupted(const TrainingEnd& end, const std::string& command, Arguments arguments) {
  if (std::ranges::find(arguments, "--resume") == arguments.end()) {
    arguments.emplace_back("--resume");
  }
  fmt::print(stderr, "interrupted after {} of {} epochs; saved {} and {}\nto go on: {}\n",
             end.epochs, end.epochs_wanted, end.model_path, checkpoint_path_of(end.model_path),
             command_line(command, arguments));
}

void print_end(const TrainingEnd& end) {
  if (end.stopped_early) {
    fmt::print(stderr, "stopped early: {} epochs brought nothing better\n", end.patience);
  }
  fmt::print(stderr, "saved {}{}, {}; {} epochs in {}", end.model_path, end.chosen,
             bytes_text(fs::file_size(end.model_path)), end.epochs, seconds_text(end.seconds));
  if (end.training_seconds > 0.0) {
    const double rate = static_cast<double>(end.units_in_epoch) * end.epochs / end.training_seconds;
    fmt::print(stderr, ", {} {} per second in training",
               count_text(static_cast<std::uint64_t>(rate)), end.unit);
  }
  fmt::print(stderr, "\n");
}

}  // namespace

void check_model_path(const std::string& path, const std::string& option) {
  if (fs::is_directory(path)) {
    throw Error(fmt::format("{}: {} is a folder; give the name of a file", option, path));
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder)) {
    throw Error(fmt::format("{}: there is no folder {}; make it first", option, folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("{}: the folder {} cannot be written to; choose another one", option,
                            folder.string()));
  }
}

std::string checkpoint_path_of(const std::string& model_path) {
  return model_path + ".checkpoint";
}

void warn_of_overwritten(const std::string& checkpoint_path) {
  if (!fs::exists(checkpoint_path)) return;
  fmt::print(stderr, "{}: of an earlier training, is overwritten; --resume would go on from it\n",
             checkpoint_path);
}

int finish_training(const TrainingEnd& end, const std::string& command, const Arguments& arguments,
                    bool quiet, JsonLines& log, const JsonObject& fields) {
  log_end(end, log, fields);
  if (end.interrupted) {
    print_interrupted(end, command, arguments);
    return kExitInterrupted;
  }
  std::error_code ignored;
  fs::remove(checkpoint_path_of(end.model_path), ignored);
  if (!quiet) print_end(end);
  return kExitDone;
}

}  // namespace cane::cli
