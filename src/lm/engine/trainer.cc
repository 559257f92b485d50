#include "lm/engine/trainer.h"

#include <fmt/format.h>

#include <cmath>

#include "cane/error.h"
#include "lm/engine/checkpoint.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

StreamLayout training_layout(std::span<const WordId> text, const LmTrainOptions& options) {
  const StreamLayout layout = StreamLayout::whole_streams(text.size(), options.batch);
  if (layout.length() >= 2 && layout.streams() == options.batch) return layout;
  throw Error(fmt::format(
      "the text has {} words, too few for {} streams; give a longer text or a smaller `batch`",
      text.size(), options.batch));
}

}  // namespace

LmTrainer::LmTrainer(LanguageModel& model, const LmTrainOptions& options,
                     std::span<const WordId> train, std::span<const WordId> valid,
                     std::string model_path, std::string checkpoint_path, TrainListener listener)
    : model_(model),
      options_(options),
      valid_(valid),
      model_path_(std::move(model_path)),
      checkpoints_(std::move(checkpoint_path)),
      listener_(std::move(listener)),
      text_checksum_(checksum_of(train)),
      streams_(train, model.vocabulary().end_of_line(), training_layout(train, options),
               options.length, model.device()),
      optimizer_(make_optimizer(model, options)),
      step_(model, optimizer_, streams_.streams()) {
  check_options(options);
  state_.rate = first_rate(options);
}

LoopEnd LmTrainer::run() {
  const LoopOptions options = {.epochs = options_.epochs,
                               .patience = options_.patience,
                               .goal = Goal::kMinimize,
                               .checkpoint_seconds = options_.checkpoint_every};
  const LoopEnd end = EpochLoop(options, *this, state_.loop).run();
  checkpoints_.finish();
  return end;
}

bool LmTrainer::run_epoch(const std::function<bool()>& go_on) {
  model_.train();
  if (state_.batch == 0) {
    step_.clear_state();
    torch::manual_seed(model_.options().seed + state_.loop.epoch + 1);
  }
  const auto batches = static_cast<std::uint64_t>(streams_.batches());
  bool is_wanted = true;
  while (state_.batch < batches && is_wanted) {
    const TokenBatch batch = streams_.batch(static_cast<std::int64_t>(state_.batch));
    step_.run(batch);
    ++state_.batch;
    state_.tokens += static_cast<double>(batch.labels.numel());
    is_wanted = go_on();
  }
  take_loss();
  return state_.batch == batches;
}

void LmTrainer::take_loss() {
  state_.loss += step_.take_loss();
  if (std::isfinite(state_.loss)) return;
  throw Error(fmt::format(
      "the loss is no longer a number in epoch {}, batch {}; take a smaller `lr` or `clip`",
      state_.loop.epoch + 1, state_.batch));
}

void LmTrainer::report_progress(const LoopProgress& progress) {
  take_loss();
  listener_.on_progress({.epoch = progress.epoch,
                         .epochs = progress.epochs,
                         .examples_done = progress.steps_done,
                         .examples_total = progress.steps_total,
                         .loss = state_.loss / state_.tokens,
                         .examples_per_second = progress.steps_per_second,
                         .seconds_left = progress.seconds_left});
}

std::optional<double> LmTrainer::validate() {
  if (valid_.empty()) return std::nullopt;
  validation_ = measure_perplexity(model_, valid_);
  return validation_->exact;
}

void LmTrainer::finish_epoch(bool is_best) {
  LmEpochReport report;
  report.epoch = state_.loop.epoch;
  report.loss = state_.loss / state_.tokens;
  report.coverage = model_.head().take_coverage();
  report.learning_rate = state_.rate;
  report.seconds = state_.loop.seconds;
  report.tokens_per_second =
      state_.loop.epoch * static_cast<double>(streams_.words()) / state_.loop.seconds;
  report.validation = validation_;
  report.best = is_best;
  if (!is_best) {
    state_.rate *= options_.decay;
    optimizer_.set_rate(state_.rate);
  }
  state_.batch = 0;
  state_.loss = 0.0;
  state_.tokens = 0.0;
  listener_.on_epoch(report);
}

void LmTrainer::keep_best() {
  if (model_path_.empty()) return;
  ModelNotes notes = as_text(options_);
  notes["epoch"] = std::to_string(state_.loop.epoch);
  notes["training_seconds"] = fmt::format("{:.3f}", state_.loop.seconds);
  if (validation_) notes["valid_perplexity"] = fmt::format("{:.4f}", validation_->exact);
  save_model(model_path_, model_, notes);
}

}  // namespace cane::lm
