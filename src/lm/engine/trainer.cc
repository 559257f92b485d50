#include "lm/engine/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cane/error.h"
#include "lm/engine/checkpoint.h"
#include "lm/engine/make_optimizer.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

constexpr double kSecondsBetweenReports = 0.25;

StreamLayout training_layout(std::span<const WordId> text, const TrainOptions& options) {
  const StreamLayout layout = StreamLayout::whole_streams(text.size(), options.batch);
  if (layout.length() >= 2 && layout.streams() == options.batch) return layout;
  throw Error(fmt::format(
      "the text has {} words, too few for {} streams; give a longer text or a smaller --batch",
      text.size(), options.batch));
}

}  // namespace

Trainer::Trainer(LanguageModel& model, const TrainOptions& options, std::span<const WordId> train,
                 std::span<const WordId> valid, std::string model_path, std::string checkpoint_path,
                 TrainListener listener)
    : model_(model),
      options_(options),
      valid_(valid),
      model_path_(std::move(model_path)),
      checkpoint_path_(std::move(checkpoint_path)),
      listener_(std::move(listener)),
      text_checksum_(checksum_of(train)),
      streams_(train, model.vocabulary().end_of_line(), training_layout(train, options),
               options.length, model.device()),
      optimizer_(make_optimizer(model, options)),
      step_(model, optimizer_, streams_.streams()) {
  check_options(options);
  place_.rate = first_rate(options);
}

TrainEnd Trainer::run() {
  since_.restart();
  while (place_.epoch < options_.epochs) {
    if (!run_epoch()) {
      if (!checkpoint_path_.empty()) save_checkpoint();
      if (place_.best_epoch == 0 && !model_path_.empty()) save_best({});
      return TrainEnd::kInterrupted;
    }
    const bool more = finish_epoch();
    if (!more) return TrainEnd::kEarly;
  }
  return TrainEnd::kDone;
}

bool Trainer::run_epoch() {
  model_.train();
  if (place_.batch == 0) {
    step_.clear_state();
    torch::manual_seed(model_.options().seed + place_.epoch + 1);
  }
  Stopwatch since_report;
  for (auto index = static_cast<std::int64_t>(place_.batch); index < streams_.batches(); ++index) {
    if (listener_.stop_requested()) {
      take_loss();
      return false;
    }
    const TokenBatch batch = streams_.batch(index);
    step_.run(batch);
    ++place_.batch;
    place_.tokens += static_cast<double>(batch.labels.numel());
    if (since_report.seconds() < kSecondsBetweenReports) continue;
    report_progress();
    since_report.restart();
  }
  take_loss();
  return true;
}

void Trainer::take_loss() {
  place_.loss += step_.take_loss();
  place_.seconds += since_.seconds();
  since_.restart();
  if (std::isfinite(place_.loss)) return;
  throw Error(fmt::format(
      "the loss is no longer a number in epoch {}, batch {}; take a smaller --lr or --clip",
      place_.epoch + 1, place_.batch));
}

void Trainer::report_progress() {
  take_loss();
  TrainProgress progress;
  progress.epoch = place_.epoch + 1;
  progress.epochs = options_.epochs;
  const std::uint64_t finished = place_.epoch * streams_.words();
  progress.examples_done = finished + static_cast<std::uint64_t>(place_.tokens);
  progress.examples_total = options_.epochs * streams_.words();
  progress.loss = place_.loss / place_.tokens;
  progress.examples_per_second = static_cast<double>(progress.examples_done) / place_.seconds;
  progress.seconds_left = static_cast<double>(progress.examples_total - progress.examples_done) /
                          progress.examples_per_second;
  listener_.on_progress(progress);
}

bool Trainer::finish_epoch() {
  EpochReport report;
  report.epoch = ++place_.epoch;
  report.loss = place_.loss / place_.tokens;
  report.coverage = model_.head().take_coverage();
  report.rate = place_.rate;
  report.seconds = place_.seconds;
  report.tokens_per_second = place_.epoch * static_cast<double>(streams_.words()) / place_.seconds;
  if (!valid_.empty()) report.valid = measure_perplexity(model_, valid_);
  since_.restart();
  report.best = !report.valid || place_.best_epoch == 0 || report.valid->exact < place_.best;
  if (report.best) {
    place_.best_epoch = report.epoch;
    place_.best = report.valid ? report.valid->exact : 0.0;
    if (!model_path_.empty()) save_best(report);
  } else {
    place_.rate *= options_.decay;
    optimizer_.set_rate(place_.rate);
  }
  place_.batch = 0;
  place_.loss = 0.0;
  place_.tokens = 0.0;
  const bool more = options_.patience == 0 || place_.epoch - place_.best_epoch < options_.patience;
  if (more && place_.epoch < options_.epochs && !checkpoint_path_.empty()) save_checkpoint();
  since_.restart();
  listener_.on_epoch(report);
  return more;
}

void Trainer::save_best(const EpochReport& report) const {
  ModelNotes notes = as_text(options_);
  notes["epoch"] = std::to_string(report.epoch);
  notes["training_seconds"] = fmt::format("{:.3f}", place_.seconds);
  if (report.valid) notes["valid_perplexity"] = fmt::format("{:.4f}", report.valid->exact);
  save_model(model_path_, model_, notes);
}

}  // namespace cane::lm
