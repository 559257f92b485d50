#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "app/interrupt.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "cli/cane-lm/train_display.h"
#include "cli/cane-lm/training_text.h"
#include "core/base/words.h"
#include "lm/engine/checkpoint.h"

namespace cane::lm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainClosing =
    "A text has a sentence or paragraph a line, words with spaces between them; plain, gzip or xz. "
    "MODEL\nis the one of the best epoch. MODEL.checkpoint keeps the state after every epoch until "
    "training is\nover. Ctrl-C saves both and ends with exit code 130; the same command with "
    "--resume goes on.\n\n"
    "Example:\n"
    "  cane-lm train ptb/train.txt.gz --valid ptb/valid.txt.gz --model ptb.safetensors "
    "--log ptb.jsonl";

struct TrainCommand {
  std::string train_path;
  std::string valid = "auto";
  std::string model_path = "lm.safetensors";
  std::string log_path;
  bool resume = false;
  ModelOptions model;
  TrainOptions train;
  CorpusOptions corpus;
  RunOptions run;

  std::string checkpoint_path() const { return model_path + ".checkpoint"; }
};

void add_options(cli::Options& options, TrainCommand& command) {
  options.positional("TEXT", command.train_path, "text to learn from (-: standard input)");
  options.add("model", "FILE", command.model_path, "where the model goes");
  options.add("valid", "FILE", command.valid,
              "text to measure each epoch on; auto: valid... beside train..., else the end of "
              "TEXT; or none");
  options.add("log", "FILE", command.log_path, "one JSON object for every event");
  options.flag("resume", command.resume, "go on from the checkpoint");
  add_model_options(options, command.model);
  add_train_options(options, command.train);
  add_vocabulary_options(options, command.corpus.vocabulary);
  add_reading_options(options, command.corpus);
  add_run_options(options, command.run);
}

void check_paths(const TrainCommand& command) {
  const fs::path folder = fs::path(command.model_path).parent_path();
  if (fs::is_directory(command.model_path) || (!folder.empty() && !fs::is_directory(folder))) {
    throw Error(fmt::format(
        "--model: {} cannot be written: {}; choose another file", command.model_path,
        fs::is_directory(command.model_path) ? "it is a folder" : "there is no such folder"));
  }
  if (command.resume && !fs::exists(command.checkpoint_path())) {
    throw Error(fmt::format("{}: there is no checkpoint to resume from; train without --resume",
                            command.checkpoint_path()));
  }
}

int report_end(const TrainCommand& command, const Arguments& arguments, TrainEnd end,
               const TrainPlace& place, cli::JsonLines& log) {
  cli::JsonObject fields;
  fields.set("epochs", place.epoch);
  fields.set("best_epoch", place.best_epoch);
  fields.set("seconds", place.seconds);
  log.write(end == TrainEnd::kInterrupted ? "interrupted" : "end", fields);
  const Note note = stderr_note(command.run.quiet);
  if (end == TrainEnd::kInterrupted) {
    std::string again = "cane-lm train";
    for (const std::string& argument : arguments) again += ' ' + cli::quoted(argument);
    if (!command.resume) again += " --resume";
    note(fmt::format("interrupted after {} of {} epochs; saved {} and {}\nto go on: {}",
                     place.epoch, command.train.epochs, command.model_path,
                     command.checkpoint_path(), again));
    return cli::kExitInterrupted;
  }
  fs::remove(command.checkpoint_path());
  note(
      fmt::format("{}saved {} of epoch {}{}, after {} of training",
                  end == TrainEnd::kEarly ? "no better epoch in a while; " : "", command.model_path,
                  place.best_epoch,
                  place.best > 0.0 ? fmt::format(", validation perplexity {:.2f}", place.best) : "",
                  cli::seconds_text(place.seconds)));
  return cli::kExitDone;
}

int train(const TrainCommand& command, const Arguments& arguments, cli::JsonLines& log) {
  const Note note = stderr_note(command.run.quiet);
  const torch::Device device = choose_device(command.run.device, command.run.threads, note);
  const TrainingText text = read_training_text(command.train_path, command.valid, command.corpus);
  LanguageModel model(command.model, text.vocabulary, device,
                      computing_type(command.train.precision), text.train);
  TrainDisplay display(log, command.run.quiet);
  Trainer trainer(model, command.train, text.train, text.valid, command.model_path,
                  command.checkpoint_path(), display.listener());
  if (command.resume) {
    trainer.resume();
    note(fmt::format("resumed after {} epochs and {} batches", trainer.place().epoch,
                     trainer.place().batch));
  } else if (fs::exists(command.checkpoint_path())) {
    note(fmt::format("{}: of an earlier training, is overwritten; --resume would go on from it",
                     command.checkpoint_path()));
  }
  cli::catch_interrupts("stopping at the next batch to save");
  const TrainEnd end = trainer.run();
  return report_end(command, arguments, end, trainer.place(), log);
}

}  // namespace

int run_train(const Verb& verb, const Arguments& arguments) {
  TrainCommand command;
  cli::Options options(verb, kTrainClosing);
  add_options(options, command);
  if (!options.parse(arguments)) return cli::kExitDone;
  check_paths(command);
  if (command.resume) {
    const CheckpointOptions before = checkpoint_options(command.checkpoint_path());
    command.model = before.model;
    command.train = before.train;
    options.assign_again();
  }
  check_options(command.model);
  check_options(command.train);
  command.corpus.note = stderr_note(command.run.quiet);
  cli::JsonLines log(command.log_path, command.resume);
  try {
    return train(command, arguments, log);
  } catch (const std::exception& error) {
    cli::JsonObject fields;
    fields.set("text", error.what());
    log.write("error", fields);
    throw;
  }
}

}  // namespace cane::lm
