#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/interrupt.h"
#include "app/json_lines.h"
#include "app/training.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "cli/cane-lm/perplexity_display.h"
#include "cli/cane-lm/training_text.h"
#include "core/base/stopwatch.h"
#include "lm/engine/checkpoint.h"

namespace cane::lm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainClosing =
    "A text has a sentence or paragraph a line, words with spaces between them; plain, gzip or xz. "
    "MODEL\nis the one of the best epoch. MODEL.checkpoint keeps the state after an epoch, at most "
    "every\n--checkpoint-every seconds, until training is over. Ctrl-C saves it and ends with "
    "exit code 130;\nthe same command with --resume continues.\n\n"
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
  LmTrainOptions train;
  CorpusOptions corpus;
  RunOptions run;

  std::string checkpoint_path() const { return cli::checkpoint_path_of(model_path); }
};

void add_options(cli::Options& options, TrainCommand& command) {
  options.positional("TEXT", command.train_path, "text to learn from (-: standard input)");
  options.add("model", "FILE", command.model_path,
              "where the model goes (also the second argument)");
  options.model_by_position();
  options.add("valid", "FILE", command.valid,
              "text to measure each epoch on; auto: valid... next to train..., else the end of "
              "TEXT; or none");
  options.add("log", "FILE", command.log_path, "one JSON object for every event");
  reads_text(options, command.train_path, command.valid);
  options.writes(
      {.option = "--model", .path = "", .kind = FileKind::kLanguageModel, .needs_file = true},
      command.model_path);
  options.writes([&command] {
    return std::vector{cli::checkpoint_output(command.model_path,
                                              FileKind::kLanguageModelCheckpoint, command.resume)};
  });
  options.writes({.option = "--log", .path = "", .kind = FileKind::kLog}, command.log_path);
  options.flag("resume", command.resume, "continue from the checkpoint");
  add_model_options(options, command.model);
  add_train_options(options, command.train);
  add_vocabulary_options(options, command.corpus);
  add_reading_options(options, command.corpus);
  add_run_options(options, command.run);
}

void check_paths(const TrainCommand& command) {
  if (command.resume && !fs::exists(command.checkpoint_path())) {
    throw Error(fmt::format("{}: there is no checkpoint to resume from; train without --resume",
                            command.checkpoint_path()));
  }
}

void log_start(const cli::Options& options, const TrainingText& text, cli::JsonLines& log) {
  cli::Json given = cli::Json::object();
  for (const auto& [name, value] : options.values()) given[name] = cli::json_value_of(value);
  cli::Json fields = cli::Json::object();
  fields["options"] = given;
  fields["tokens"] = text.train.size();
  fields["words"] = text.vocabulary->size();
  if (!text.valid.empty()) fields["valid_tokens"] = text.valid.size();
  log.write("start", fields);
}

int report_end(const TrainCommand& command, const Arguments& arguments, LoopEnd end,
               const LmTrainer& trainer, std::size_t tokens, double seconds, cli::JsonLines& log) {
  const LmTrainState& state = trainer.state();
  cli::Json fields = cli::Json::object();
  fields["best_epoch"] = state.loop.best_epoch;
  const std::optional<double> best = state.loop.best_score;
  const std::string perplexity = best ? fmt::format(" (validation perplexity {:.2f})", *best) : "";
  return cli::finish_training(
      {.model_path = command.model_path,
       .is_saved = state.loop.best_epoch > 0,
       .chosen = fmt::format(" of epoch {}{}", state.loop.best_epoch, perplexity),
       .epochs = state.loop.epoch,
       .epochs_wanted = command.train.epochs,
       .patience = command.train.patience,
       .interrupted = end == LoopEnd::kInterrupted,
       .stopped_early = end == LoopEnd::kStoppedEarly,
       .seconds = seconds,
       .training_seconds = state.loop.seconds,
       .units_in_epoch = tokens,
       .unit = "tokens",
       .checkpoints = trainer.checkpoints()},
      "cane-lm train", arguments, command.run.quiet, log, &fields);
}

int train(const TrainCommand& command, const cli::Options& options, const Arguments& arguments,
          cli::JsonLines& log) {
  const Stopwatch watch;
  const Note note = stderr_note(command.run.quiet);
  const torch::Device device = choose_device(command.run.device, command.run.threads, note);
  const TrainingText text = read_training_text(command.train_path, command.valid, command.corpus);
  log_start(options, text, log);
  LanguageModel model(command.model, text.vocabulary, device,
                      computing_type(command.train.precision), text.train);
  PerplexityDisplay display(command.run.quiet, log);
  LmTrainer trainer(model, command.train, text.train, text.valid, command.model_path,
                    command.checkpoint_path(), display.listener());
  if (command.resume) {
    trainer.resume();
    note(fmt::format("resumed after {} epochs and {} batches", trainer.state().loop.epoch,
                     trainer.state().batch));
  }
  cli::catch_interrupts();
  const LoopEnd end = trainer.run();
  return report_end(command, arguments, end, trainer, text.train.size(), watch.seconds(), log);
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
  return cli::run_logged(log, [&] { return train(command, options, arguments, log); });
}

}  // namespace cane::lm
