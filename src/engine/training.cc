#include "engine/training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "core/base/memory.h"
#include "data/loaded_data.h"
#include "engine/calibrate_model.h"
#include "engine/class_evaluation.h"
#include "engine/continue_training.h"
#include "engine/make_trainer.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "engine/origin.h"
#include "engine/start_training.h"
#include "methods/parallel.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "train/shuffle.h"
#include "train/start/start.h"

namespace cane {
namespace {

constexpr const char* kWorse =
    "WARNING: training has come out worse than what needs none: {}. {}. Try a lower `lr`, more "
    "`epochs`, or other features";

// A resumed training leaves the same examples out as before, but knows its start no more.
std::optional<StartGuard> guard_of(const Model* finished, const Dataset& data,
                                   const Dataset* validation, const TrainConfig& config) {
  if (!config.keep_best) return std::nullopt;
  if (validation != nullptr) return std::make_optional<StartGuard>(data, validation, config.seed);
  if (finished != nullptr) return std::nullopt;
  if (config.resume && continues_training(config.checkpoint_path)) return std::nullopt;
  TrainConfig decides = config;
  if (config.resume) {
    const ModelData model = read_model(SafetensorsFile(config.checkpoint_path));
    // An earlier version held nothing out.
    if (model.training_examples == data.size()) return std::nullopt;
    decides = model.config;
  }
  if (!StartGuard::applies(decides, data.data().view)) return std::nullopt;
  return std::make_optional<StartGuard>(data, nullptr, config.seed);
}

// A resumed training does as before.
std::optional<OldClasses> old_classes_of(const Model* finished, const Dataset& data,
                                         const TrainConfig& config) {
  const bool is_resumed = config.resume && has_weights_before(config.checkpoint_path);
  if (finished == nullptr && !is_resumed) return std::nullopt;
  const ModelData model =
      is_resumed ? read_model(SafetensorsFile(config.checkpoint_path)) : finished->data();
  const FeatureId dimension = model.vocabulary.dimension;
  const bool fits = data.dimension() == dimension && data.classes() >= model.class_counts.size();
  if (!fits) return std::nullopt;  // and is refused
  if (const char* what = validation_error(model.kept, dimension, model.class_counts.size())) {
    throw Error(fmt::format("the model cannot be trained further: {}", what));
  }
  std::vector<std::uint64_t> counts = model.class_counts;
  if (is_resumed) {
    const std::vector<std::uint64_t> now = count_examples(data);
    for (std::size_t k = 0; k < std::min(now.size(), counts.size()); ++k) {
      counts[k] -= std::min(counts[k], now[k]);
    }
  }
  return OldClasses::of(counts, model.kept, data, config.seed);
}

/// The sums of the epoch as a report, which lacks the validation; the state begins the next one.
/// `first_rate`: the learning rate at its first batch.
EpochReport end_epoch(TrainState& state, float first_rate) {
  const StepStats& totals = state.totals;
  EpochReport report;
  report.epoch = state.loop.epoch;
  report.loss = totals.loss / std::max(totals.weight, 1e-30);
  report.coverage = static_cast<double>(totals.covered) /
                    static_cast<double>(std::max<std::uint64_t>(totals.examples, 1));
  report.learning_rate = static_cast<double>(first_rate);
  report.seconds = state.loop.seconds;
  state.next_batch = 0;
  state.totals = {};
  return report;
}

}  // namespace

Training::Training(const Model* finished, const Dataset& data, const Dataset* validation,
                   const TrainConfig& config, const Context& context, StartSource* source,
                   bool shares_classes)
    : given_(data),
      data_(data),
      validation_(validation),
      config_(config),
      pool_(config.threads),
      context_(pool_, context),
      observer_(context_.observer()),
      ranks_(context_.ranks()),
      checkpoints_(config.checkpoint_path) {
  if (!shares_classes) guard_ = guard_of(finished, data, validation, config);
  if (guard_) given_ = guard_->rest();
  old_classes_ = old_classes_of(finished, given_, config);
  data_ = old_classes_ ? old_classes_->data() : given_;
  if (!config.checkpoint_path.empty()) {
    data_print_ = data_fingerprint(data_.data().view, data_.data().vocabulary, pool_);
  }
  run_ = begin(finished, source, shares_classes);
  return_freed_memory();
  if (!ranks_.is_alone() && !shares_classes) check_ranks_can_share(run_.model.config);
  // Not taken from the checkpoint: these select what is returned and where it is computed.
  run_.model.config.keep_best = config.keep_best;
  run_.model.config.device = config.device;
  warn_about_data();
  if (wants_windows(data_.data().view)) window_.emplace(data_.data().view);
  trainer_ = make_trainer(run_.model, data_.data().view, window_ ? &*window_ : nullptr, run_.state,
                          context_, run_.shards ? &*run_.shards : nullptr);
  if (guard_ && !config.resume) guard_->measure_start(run_.model, run_.state, pool_);
  if (guard_ && config.resume && run_.state.whitening && !run_.state.further) {
    // The start is often better than the end where a class has few examples, and a resumed training
    // must end the same.
    TrainState start = make_train_state(run_.model.tables, run_.model.config);
    start_weights(data_.data().view, run_.model, pool_, start);
    guard_->measure_start(run_.model, start, pool_);
  }
}

Checkpoint Training::begin(const Model* finished, StartSource* source, bool shares_classes) {
  if (config_.resume) {
    return resume_training(data_, config_, data_print_, shares_classes, context_);
  }
  if (finished != nullptr) {
    const bool holds_most = old_classes_ && old_classes_->holds_most();
    Checkpoint run = continue_from(*finished, given_, data_, config_, holds_most, context_);
    if (old_classes_) {
      run.state.before = copy_of(run.state.weights);
      run.state.accuracy_before = old_classes_->measure(finished->data(), pool_);
    }
    return run;
  }
  std::optional<StartSource> own;
  if (source == nullptr) source = &own.emplace(data_, config_.seed);
  return start_training(*source, data_, config_, validation_, shares_classes, context_);
}

void Training::warn_about_data() {
  constexpr std::size_t kManyClasses = 100;
  const std::vector<std::uint64_t>& counts = run_.model.class_counts;
  const auto single = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 1U));
  if (data_.classes() > kManyClasses && 2 * single > data_.size()) {
    observer_.on_message(fmt::format(
        "{} of {} examples are the only one of their class: nothing can be learned from "
        "these; is the label what stands first in a line?",
        single, data_.size()));
  }
  if (is_sorted_by_class(data_.data().view, counts)) {
    observer_.on_message(
        "the examples lie sorted by their labels, and are too many to be shuffled as a whole: "
        "shuffle the lines of the file (shuf) for the best accuracy");
  }
}

TrainResult Training::run() {
  const TrainConfig& config = run_.model.config;
  EpochLoop loop({.epochs = config.epochs,
                  .patience = config.patience,
                  .goal = Goal::kMaximize,
                  .checkpoint_seconds = config_.checkpoint_every},
                 *this, run_.state.loop);
  const LoopEnd end = loop.run();
  trainer_->fetch_weights();
  const std::uint32_t epochs = run_.state.loop.epoch;
  if (const std::string problem = checkpoints_.finish(); !problem.empty()) {
    observer_.on_message(fmt::format("the last checkpoint was not written: {}", problem));
  }
  const bool is_interrupted = end == LoopEnd::kInterrupted;
  if (!is_interrupted) restore_start_if_better();
  const auto old_classes = is_interrupted ? std::nullopt : settle_old_classes();
  Model model = take_model();
  if (!is_interrupted) {
    // What is in a file that others may get is said.
    if (const std::size_t kept = model.data().kept.size(); kept > 0) {
      observer_.on_message(fmt::format(
          "the model keeps {} training examples, for further training; `memory 0` leaves them out",
          kept));
    }
    model = calibrated(std::move(model));
  }
  return {.model = std::move(model),
          .epochs = epochs,
          .interrupted = is_interrupted,
          .stopped_early = end == LoopEnd::kStoppedEarly,
          .checkpoints = {checkpoints_.written(), checkpoints_.bytes(),
                          checkpoints_.seconds_waited(), checkpoints_.is_own()},
          .old_classes = old_classes,
          .expected_bytes =
              run_.shards ? 0
                          : estimate_memory(data_.data(), run_.model, pool_.threads(),
                                            validation_ != nullptr ? &validation_->data() : nullptr)
                                    .total_bytes() +
                                checkpoints_.copied_bytes(),
          .bytes_sent = bytes_sent_};
}

void Training::restore_start_if_better() {
  if (!guard_ || is_online_tree(run_.model.config)) return;
  WeightTables& weights = run_.state.weights;
  const auto found =
      guard_->find_better(run_.model, run_.best.weights.empty() ? weights : run_.best.weights,
                          data_.data().view, pool_);
  if (!found) return;
  // With validation data a resumed training, which knows its start no more, must end the same.
  const bool restores = found->better != StartGuard::Better::kMostFrequent &&
                        validation_ == nullptr && !has_encoder(run_.model.config);
  observer_.on_message(fmt::format(
      kWorse, found->text,
      restores ? "The model is that of the class means" : "The model is saved all the same"));
  if (!restores) return;
  trainer_.reset();
  run_.model.config.start = StartKind::kMeans;
  for (AlignedBuffer<float>& table : weights) std::ranges::fill(table.span(), 0.0F);
  start_weights(data_.data().view, run_.model, pool_, run_.state);
}

std::optional<OldClassReport> Training::settle_old_classes() {
  if (!old_classes_) return std::nullopt;
  WeightTables& trained = run_.best.weights.empty() ? run_.state.weights : run_.best.weights;
  const auto report = old_classes_->settle(run_.model, run_.state, trained, pool_);
  if (report) {
    observer_.on_message(fmt::format(
        "classes that the data lacks, or has little of: accuracy on {} kept examples was {:.2f}%, "
        "and is {:.2f}%",
        report->examples, 100 * report->before, 100 * report->after));
  } else {
    observer_.on_message(
        "the model keeps no examples of the classes that the data lacks: they count for more than "
        "the new ones, and what is forgotten of them cannot be measured");
  }
  return report;
}

Model Training::calibrated(Model model) {
  const Dataset* held_out = validation_ == nullptr && guard_ ? &guard_->held_out() : validation_;
  if (!config_.calibrate || held_out == nullptr) return model;
  if (run_.shards) {
    observer_.on_message("the probabilities are not calibrated; `cane calibrate` does it");
    return model;
  }
  const DatasetView& view = held_out->data().view;
  if (!can_calibrate(model.data(), view)) return model;
  CalibrateResult result = calibrate_model(model.data(), view, {}, pool_);
  observer_.on_message(fmt::format(
      "probabilities calibrated on {} {} examples: their error was {:.1f}%, and is {:.1f}% there",
      result.examples, validation_ == nullptr ? "held-out" : "validation",
      100 * result.error_before, 100 * result.error_after));
  if (const auto found =
          guard_ ? guard_->find_better_probabilities(result.model.data(), pool_) : std::nullopt) {
    observer_.on_message(fmt::format(kWorse, *found, "The model is saved all the same"));
  }
  return std::move(result.model);
}

bool Training::run_epoch(const std::function<bool()>& go_on) {
  epoch_rate_ = trainer_->current_rate();
  const std::uint64_t sent_before = ranks_.bytes_sent();
  const bool is_whole = trainer_->run_epoch(go_on);
  bytes_sent_ += ranks_.bytes_sent() - sent_before;
  return is_whole;
}

std::optional<double> Training::validate() {
  if (validation_ == nullptr) return std::nullopt;
  trainer_->fetch_weights();
  const ModelData& model = run_.model;
  if (run_.shards) {
    const auto encoder =
        make_encoder(model.config, run_.shards->tables, views_of(run_.state.weights));
    evaluation_ = evaluate_shards(run_, validation_->data().view, encoder.get(), pool_, ranks_);
    return evaluation_->accuracy;
  }
  EvaluateOptions options;
  options.probability = Probability::kNone;
  const std::size_t size = validation_->size();
  const auto rank = static_cast<std::size_t>(ranks_.rank());
  const auto ranks = static_cast<std::size_t>(ranks_.ranks());
  std::vector<std::uint32_t> own((rank + 1) * size / ranks - rank * size / ranks);
  std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(rank * size / ranks));
  const Dataset part = ranks_.is_alone() ? *validation_ : validation_->subset(own);
  evaluation_ = evaluate(make_predictor(model, views_of(run_.state.weights)), part.data().view,
                         model.class_counts, search_widths(model, 0), options, context_);
  return evaluation_->accuracy;
}

void Training::keep_best() {
  if (validation_ == nullptr || !config_.keep_best) return;
  trainer_->fetch_weights();
  const TrainState& state = run_.state;
  BestWeights& best = run_.best;
  for (std::size_t table = 0; table < state.weights.size(); ++table) {
    const auto weights = state.weights[table].span();
    if (best.weights.size() == table) best.weights.emplace_back(weights.size());
    std::copy(weights.begin(), weights.end(), best.weights[table].data());
  }
  if (state.method_state != nullptr) best.method_state = state.method_state->copy();
}

void Training::finish_epoch(bool is_best) {
  EpochReport report = end_epoch(run_.state, epoch_rate_);
  report.validation = evaluation_;
  report.best = is_best && validation_ != nullptr;
  observer_.on_epoch(report);
}

void Training::save_checkpoint(bool goes_on) {
  if (config_.checkpoint_path.empty()) return;
  trainer_->fetch_weights();
  const auto mode = goes_on ? CheckpointWriter::Mode::kInBackground : CheckpointWriter::Mode::kWait;
  const bool was_own = checkpoints_.is_own();
  write_checkpoint(checkpoints_, mode, run_, data_print_, ranks_);
  if (was_own && !checkpoints_.is_own()) {
    observer_.on_message(fmt::format(
        "{}: another training has written it, so it is left alone, and this one keeps none",
        checkpoints_.path()));
  }
}

double Training::checkpoint_cost() const {
  if (config_.checkpoint_path.empty()) return 0.0;
  return checkpoints_.cost(checkpoint_bytes(run_.model, run_.state, !run_.best.weights.empty()));
}

void Training::report_progress(const LoopProgress& progress) {
  const std::uint32_t batch = run_.model.config.batch;
  observer_.on_progress({.epoch = progress.epoch,
                         .epochs = progress.epochs,
                         .examples_done = progress.steps_done * batch,
                         .examples_total = progress.steps_total * batch,
                         .loss = mean_loss(),
                         .examples_per_second = progress.steps_per_second * batch,
                         .seconds_left = progress.seconds_left});
}

double Training::mean_loss() const {
  return run_.state.totals.loss / std::max(run_.state.totals.weight, 1e-30);
}

void Training::keep_examples(ModelData& model) const {
  const KeptExamples earlier = std::exchange(model.kept, {});
  if (is_online_tree(model.config)) return;  // which cannot go on from a finished model
  const DatasetView& view = given_.data().view;
  const std::size_t classes = model.class_counts.size();
  std::vector<std::uint64_t> counts = model.class_counts;
  for (const ClassId label : view.labels()) --counts[label];
  std::uint64_t weights = 0;
  for (const ParameterTable& table : model.tables) weights += table.layout.size() * sizeof(float);
  const DatasetView* unseen = old_classes_ ? old_classes_->unseen() : nullptr;
  if (guard_) unseen = &guard_->held_out().data().view;
  model.kept =
      cane::keep_examples(view, unseen, classes, earlier, counts,
                          keep_limits(config_.memory, view, classes, weights), config_.seed);
}

Model Training::take_model() {
  const bool has_best = !run_.best.weights.empty();
  ModelData model = run_.model;
  model.config.device = TrainConfig::kProcessor;  // a model does not remember where it was trained
  model.row_lengths = measure_lengths(given_.data().view);
  keep_examples(model);
  const std::string earlier_note = std::move(model.origin.note);
  model.origin = origin_of(data_.data(), config_);
  if (model.origin.note.empty()) model.origin.note = earlier_note;
  model.epochs_trained = has_best ? run_.state.loop.best_epoch : run_.state.loop.epoch;
  if (has_best) model.method_state = run_.best.method_state;
  WeightTables& weights = has_best ? run_.best.weights : run_.state.weights;
  if (run_.shards) return mapped_model(std::move(model), weights);
  const auto kept = std::make_shared<const WeightTables>(std::move(weights));
  model.weights = views_of(*kept);
  model.storage = kept;
  return Model(std::make_shared<const ModelData>(std::move(model)));
}

// The file is gone as soon as all ranks have mapped it; its bytes stay as long as the model.
Model Training::mapped_model(ModelData model, WeightTables& weights) {
  const std::string own =
      config_.checkpoint_path.empty()
          ? (std::filesystem::temp_directory_path() / fmt::format("cane-{}.model", ::getpid()))
                .string()
          : config_.checkpoint_path + ".model";
  const std::string path = text_of(ranks_.broadcast(bytes_of_text(own)));
  write_sharded_model(path, std::move(model), *run_.shards, weights, ranks_);
  Model mapped = Model::load(path);
  ranks_.barrier();
  if (ranks_.is_first()) std::filesystem::remove(path);
  return mapped;
}

TrainResult train_by_classes(const Dataset& data, const Dataset* validation,
                             const TrainConfig& config, const Context& context) {
  const TrainConfig options = options_for_classes(config);
  return Training(nullptr, data, validation, options, context, nullptr, true).run();
}

}  // namespace cane
