#include "cli/cane/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/interrupt.h"
#include "app/stopwatch.h"
#include "cane/error.h"
#include "cane/train.h"
#include "cli/cane/train_display.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

void log_start(JsonLines& log, const Options& options, const TrainingData& data) {
  JsonObject given;
  for (const auto& [name, value] : options.values()) given.set_parsed(name, value);
  JsonObject fields;
  fields.set("options", given);
  fields.set("examples", data.train.size());
  fields.set("classes", data.train.classes());
  fields.set("features", data.train.dimension());
  fields.set("from_cache", data.train.report().from_cache);
  fields.set("skipped_lines", data.train.report().skipped_lines);
  if (data.valid) fields.set("valid_examples", data.valid->size());
  log.write("start", fields);
}

void log_end(JsonLines& log, const TrainOptions& train, const TrainResult& result, double seconds) {
  JsonObject fields;
  fields.set("model", train.model_path);
  fields.set("bytes", fs::file_size(train.model_path));
  fields.set("epochs", result.epochs);
  fields.set("stopped_early", result.stopped_early);
  fields.set("seconds", seconds);
  log.write(result.interrupted ? "interrupted" : "end", fields);
}

// Not silenced by --quiet: it says how not to lose the work.
void print_interrupted(const TrainOptions& train, const TrainResult& result,
                       const Arguments& arguments) {
  std::string command = "cane train";
  for (const std::string& argument : arguments) command += fmt::format(" {}", quoted(argument));
  if (std::ranges::find(arguments, "--resume") == arguments.end()) command += " --resume";
  fmt::print(stderr, "interrupted after {} of {} epochs; saved {} and {}\nto go on: {}\n",
             result.epochs, train.config.epochs, train.model_path, train.checkpoint_path(),
             command);
}

void print_end(const TrainOptions& train, const TrainResult& result, std::size_t examples,
               double training_seconds, double seconds) {
  if (train.quiet) return;
  if (result.stopped_early) {
    fmt::print(stderr, "stopped early: {} epochs brought nothing better\n", train.config.patience);
  }
  fmt::print(stderr, "saved {}, {}; {} epochs in {}", train.model_path,
             bytes_text(fs::file_size(train.model_path)), result.epochs, seconds_text(seconds));
  // A training that was resumed after its last epoch took no time.
  if (training_seconds > 0.0) {
    const double rate = static_cast<double>(examples) * result.epochs / training_seconds;
    fmt::print(stderr, ", {} examples per second in training",
               count_text(static_cast<std::uint64_t>(rate)));
  }
  fmt::print(stderr, "\n");
}

void save_model(const Model& model, const TrainOptions& train) {
  try {
    model.save(train.model_path);
  } catch (const Error& error) {
    if (!fs::exists(train.checkpoint_path())) throw;
    throw Error(
        fmt::format("{}; nothing is lost: {} has it, and the same command with --resume "
                    "saves it",
                    error.what(), train.checkpoint_path()));
  }
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

int train_and_save(const TrainOptions& train, const Options& options, const Arguments& arguments,
                   const TrainingData& data, JsonLines& log) {
  log_start(log, options, data);
  if (!train.config.resume && !train.quiet && fs::exists(train.checkpoint_path())) {
    fmt::print(stderr, "{}: of an earlier training, is overwritten; --resume would go on from it\n",
               train.checkpoint_path());
  }
  catch_interrupts();
  const Stopwatch watch;
  double training_seconds = 0.0;
  const TrainResult result = [&] {
    TrainDisplay display(train.quiet, log);
    const Dataset* const valid = data.valid ? &*data.valid : nullptr;
    TrainResult trained =
        data.finished ? continue_training(*data.finished, data.train, train.config, &display, valid)
                      : cane::train(data.train, train.config, &display, valid);
    training_seconds = display.seconds();
    return trained;
  }();
  save_model(result.model, train);
  if (!result.interrupted) {
    std::error_code ignored;
    fs::remove(train.checkpoint_path(), ignored);
  }
  log_end(log, train, result, watch.seconds());
  if (result.interrupted) {
    print_interrupted(train, result, arguments);
    return kExitInterrupted;
  }
  print_end(train, result, data.train.size(), training_seconds, watch.seconds());
  return kExitDone;
}

}  // namespace cane::cli
