#include "cli/cane/training.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "app/json_lines.h"
#include "app/say.h"
#include "app/training.h"
#include "cane/error.h"
#include "cane/train.h"
#include "cli/cane/train_display.h"
#include "core/base/memory.h"
#include "core/base/stopwatch.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

void log_start(JsonLines& log, const Options& options, const TrainingData& data) {
  Json given = Json::object();
  for (const auto& [name, value] : options.values()) given[name] = json_value_of(value);
  Json fields = Json::object();
  fields["options"] = given;
  fields["examples"] = data.train.size();
  fields["classes"] = data.train.classes();
  fields["features"] = data.train.dimension();
  fields["from_cache"] = data.train.report().from_cache;
  fields["skipped_lines"] = data.train.report().skipped_lines;
  if (data.valid) fields["valid_examples"] = data.valid->size();
  log.write("start", fields);
}

void save_model(const Model& model, const TrainOptions& train) {
  if (train.checkpoint_path().empty()) end_on_interrupts();
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

// A model in use must not become one that has forgotten what it is used for.
void check_remembers(const TrainResult& result, const TrainOptions& train) {
  if (!result.old_classes || !result.old_classes->has_fallen()) return;
  const OldClassReport& old = *result.old_classes;
  const std::string checkpoint = train.checkpoint_path();
  throw Error(fmt::format(
      "{}: it is not replaced, since it would forget: accuracy on {} kept examples of classes that "
      "TRAIN lacks, or has few of, was {:.2f}%, and would be {:.2f}%. Add examples of these to "
      "TRAIN{}, or replace it all the same with --overwrite",
      train.model_path, old.examples, 100 * old.before, 100 * old.after,
      fs::exists(checkpoint) ? fmt::format(" and remove {}", checkpoint) : ""));
}

}  // namespace

int train_and_save(const TrainOptions& train, const Options& options, const Arguments& arguments,
                   const TrainingData& data, JsonLines& log, const Ranks& ranks) {
  log_start(log, options, data);
  catch_interrupts();
  const std::uint64_t peak_before = peak_memory();
  const Stopwatch watch;
  double training_seconds = 0.0;
  double predicted_seconds = 0.0;
  const TrainResult result = [&] {
    AccuracyDisplay display(train.quiet, log);
    const Dataset* const valid = data.valid ? &*data.valid : nullptr;
    const Context context(ranks, &display);
    TrainResult trained =
        data.finished ? continue_training(*data.finished, data.train, train.config, context, valid)
                      : cane::train(data.train, train.config, context, valid);
    training_seconds = display.seconds();
    predicted_seconds = display.predicted_seconds();
    return trained;
  }();
  if (!ranks.is_first()) return result.interrupted ? kExitInterrupted : kExitDone;
  // What is not finished is in the checkpoint, if there is a place for one, and replaces no model.
  const bool saves = !result.interrupted || (train.checkpoint_path().empty() && result.epochs > 0);
  if (saves && !options.overwrites()) check_remembers(result, train);
  if (saves) save_model(result.model, train);
  if (!train.quiet) {
    // What was measured before the training may have taken more memory than it does.
    const std::uint64_t peak = peak_memory();
    const std::uint64_t expected = peak > peak_before ? result.expected_bytes : 0;
    for (const std::string& warning :
         cost_warnings(predicted_seconds, training_seconds, expected, peak)) {
      say("{}\n", warning);
    }
  }
  const TrainingEnd end = {.model_path = train.model_path,
                           .is_saved = saves,
                           .chosen = "",
                           .epochs = result.epochs,
                           .epochs_wanted = result.model.config().epochs,
                           .patience = train.config.patience,
                           .interrupted = result.interrupted,
                           .stopped_early = result.stopped_early,
                           .seconds = watch.seconds(),
                           .training_seconds = training_seconds,
                           .units_in_epoch = data.train.size(),
                           .checkpoints = result.checkpoints};
  Json sent = Json::object();
  if (!ranks.is_alone()) {
    sent["bytes_sent"] = result.bytes_sent;
    sent["seconds_waited"] = ranks.seconds_waited();
    if (!train.quiet) {
      say("this rank sent {} to the {} others in training\n", bytes_as_text(result.bytes_sent),
          ranks.count() - 1);
    }
  }
  return finish_training(end, "cane train", arguments, train.quiet, log, &sent);
}

}  // namespace cane::cli
