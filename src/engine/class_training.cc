#include "engine/class_training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "cane/error.h"
#include "cane/version.h"
#include "core/base/memory.h"
#include "core/loop/epoch_loop.h"
#include "core/parallel/run_context.h"
#include "data/loaded_data.h"
#include "engine/class_evaluation.h"
#include "engine/epoch_report.h"
#include "engine/origin.h"
#include "engine/sharded_trainer.h"
#include "engine/start_class_training.h"
#include "methods/parallel.h"
#include "model/model_file.h"
#include "train/checkpoint.h"

namespace cane {
namespace {

class ClassTraining final : private Engine {
 public:
  ClassTraining(const Dataset& data, const Dataset* validation, const TrainConfig& config,
                const Context& context)
      : data_(data),
        validation_(validation),
        config_(config),
        pool_(config.threads),
        context_(pool_, context),
        observer_(context_.observer()),
        ranks_(context_.ranks()),
        data_print_(config.checkpoint_path.empty()
                        ? 0
                        : data_fingerprint(data.data().view, data.data().vocabulary)),
        run_(config.resume ? resume_class_training(data, config, data_print_, observer_, ranks_)
                           : start_class_training(data, config, validation != nullptr, pool_,
                                                  observer_, ranks_)),
        checkpoints_(config.checkpoint_path) {
    return_freed_memory();
    run_.model.config.keep_best = config.keep_best;
    trainer_.emplace(data.data().view, run_, pool_, ranks_);
  }

  TrainResult run() {
    const TrainConfig& config = run_.model.config;
    EpochLoop loop({.epochs = config.epochs,
                    .patience = config.patience,
                    .goal = Goal::kMaximize,
                    .checkpoint_seconds = config_.checkpoint_every},
                   *this, place().loop);
    const LoopEnd end = loop.run();
    if (config_.calibrate && validation_ != nullptr) {
      observer_.on_message("the probabilities are not calibrated; `cane calibrate` does it");
    }
    return {.model = take_model(),
            .epochs = place().loop.epoch,
            .interrupted = end == LoopEnd::kInterrupted,
            .stopped_early = end == LoopEnd::kStoppedEarly,
            .checkpoints = {checkpoints_.written(), checkpoints_.bytes(),
                            checkpoints_.seconds_waited()},
            .bytes_sent = bytes_sent_};
  }

 private:
  TrainState& place() { return run_.state.common; }
  const TrainState& place() const { return run_.state.common; }
  bool keeps_best() const { return validation_ != nullptr && config_.keep_best; }
  double mean_loss() const { return place().totals.loss / std::max(place().totals.weight, 1e-30); }

  std::uint64_t steps_per_epoch() const override { return trainer_->trainer().batches_per_epoch(); }
  std::uint64_t steps_done() const override { return place().next_batch; }

  bool run_epoch(const std::function<bool()>& go_on) override {
    epoch_rate_ = trainer_->trainer().current_rate();
    const std::uint64_t sent_before = ranks_.bytes_sent();
    const bool is_whole = trainer_->trainer().run_epoch(go_on);
    bytes_sent_ += ranks_.bytes_sent() - sent_before;
    return is_whole;
  }
  bool stop_requested() override { return observer_.stop_requested(); }
  bool holds_anywhere(bool here) override { return ranks_.sum(here ? 1 : 0) > 0; }

  std::optional<double> validate() override {
    if (validation_ == nullptr) return std::nullopt;
    evaluation_ =
        evaluate_shards(run_, validation_->data().view, trainer_->encoder(), pool_, ranks_);
    return evaluation_->accuracy;
  }
  void keep_best() override {
    if (keeps_best()) run_.best = weights_of(run_.state);
  }
  void finish_epoch(bool is_best) override {
    EpochReport report = end_epoch(place(), epoch_rate_);
    report.validation = evaluation_;
    report.best = is_best && validation_ != nullptr;
    observer_.on_epoch(report);
  }

  void save_checkpoint(bool /*goes_on*/) override {
    if (config_.checkpoint_path.empty()) return;
    write_sharded_checkpoint(checkpoints_, run_.model, run_.tables, run_.state, run_.best,
                             data_print_, ranks_);
  }
  double checkpoint_cost() const override {
    if (config_.checkpoint_path.empty()) return 0.0;
    return checkpoints_.cost(sharded_bytes(run_.model, run_.best));
  }

  void report_progress(const LoopProgress& progress) override {
    const std::uint32_t batch = run_.model.config.batch;
    observer_.on_progress({.epoch = progress.epoch,
                           .epochs = progress.epochs,
                           .examples_done = progress.steps_done * batch,
                           .examples_total = progress.steps_total * batch,
                           .loss = mean_loss(),
                           .examples_per_second = progress.steps_per_second * batch,
                           .seconds_left = progress.seconds_left});
  }

  // The file is gone as soon as all ranks have mapped it; its bytes stay as long as the model.
  Model take_model() {
    ModelData model = run_.model;
    model.row_lengths = measure_lengths(data_.data().view);
    model.origin = origin_of(data_.data(), config_);
    const bool has_best = !run_.best.is_empty();
    model.epochs_trained = has_best ? place().loop.best_epoch : place().loop.epoch;
    const std::string path = text_of(ranks_.broadcast(bytes_of_text(model_path())));
    write_sharded_model(path, std::move(model), run_.tables, run_.state, run_.best, ranks_);
    Model mapped = Model::load(path);
    ranks_.barrier();
    if (ranks_.is_first()) std::filesystem::remove(path);
    return mapped;
  }
  std::string model_path() const {
    if (!config_.checkpoint_path.empty()) return config_.checkpoint_path + ".model";
    const std::string name = fmt::format("cane-{}.model", ::getpid());
    return (std::filesystem::temp_directory_path() / name).string();
  }

  const Dataset& data_;
  const Dataset* validation_;
  const TrainConfig& config_;
  ThreadPool pool_;
  RunContext context_;
  TrainObserver& observer_;
  Communicator& ranks_;
  std::uint64_t data_print_;  // 0 without a checkpoint
  ShardedCheckpoint run_;
  CheckpointWriter checkpoints_;
  std::optional<ShardedTrainer> trainer_;
  float epoch_rate_ = 0.0F;               // at the first batch of this epoch
  std::uint64_t bytes_sent_ = 0;          // in the epochs
  std::optional<Evaluation> evaluation_;  // of the last finished epoch
};

}  // namespace

TrainResult train_by_classes(const Dataset& data, const Dataset* validation,
                             const TrainConfig& config, const Context& context) {
  const TrainConfig options = options_for_classes(config);
  return ClassTraining(data, validation, options, context).run();
}

}  // namespace cane
