// One training run from its first epoch to its last. Owns the model being trained, its state, and
// the parts that update it, and drives the epoch loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cane/dataset.h"
#include "cane/train.h"
#include "core/loop/epoch_loop.h"
#include "core/parallel/run_context.h"
#include "data/rows/row_copy.h"
#include "engine/old_classes.h"
#include "engine/start_guard.h"
#include "engine/start_source.h"
#include "train/checkpoint/checkpoint.h"
#include "train/trainer.h"

namespace cane {

class Training : private Engine {
 public:
  /// Starts with a new model, with `finished` if it is given, or from the checkpoint if the options
  /// say so. `validation` may be null. A new model starts from the tree and the class means of
  /// `source`, if it is given; otherwise from those of `data`. The options must have been checked.
  /// Ranks that train together all have the same arguments and all of the data. `shares_classes`:
  /// each rank has the weights of its own classes only, not at the start and not at the end; the
  /// options must be those of options_for_classes(). All arguments except `finished` and `source`
  /// must outlive the object.
  Training(const Model* finished, const Dataset& data, const Dataset* validation,
           const TrainConfig& config, const Context& context, StartSource* source = nullptr,
           bool shares_classes = false);

  /// Call once only: the result takes ownership of the weights.
  TrainResult run();

 private:
  std::uint64_t steps_per_epoch() const override { return trainer_->batches_per_epoch(); }
  std::uint64_t steps_done() const override { return run_.state.next_batch; }
  bool run_epoch(const std::function<bool()>& go_on) override;
  std::optional<double> validate() override;
  void keep_best() override;
  void finish_epoch(bool is_best) override;
  void save_checkpoint(bool goes_on) override;
  double checkpoint_cost() const override;
  void report_progress(const LoopProgress& progress) override;
  bool stop_requested() override { return observer_.stop_requested(); }
  bool any_rank(bool here) override { return ranks_.any(here); }

  Checkpoint begin(const Model* finished, StartSource* source, bool shares_classes);
  void warn_about_data();
  void restore_start_if_better();
  std::optional<OldClassReport> settle_old_classes();
  double mean_loss() const;
  Model take_model();
  void keep_examples(ModelData& model) const;
  Model mapped_model(ModelData model, WeightTables& weights);
  /// With probabilities that fit the held-out or validation examples, if there are such.
  Model calibrated(Model model);

  std::optional<StartGuard> guard_;
  std::optional<OldClasses> old_classes_;
  Dataset given_;  // without what the guard holds out
  Dataset data_;   // what is trained on: the same or, with old classes, theirs
  const Dataset* validation_;
  const TrainConfig& config_;
  ThreadPool pool_;
  RunContext context_;
  TrainObserver& observer_;
  Communicator& ranks_;
  DataPrint data_print_;  // nothing without a checkpoint
  Checkpoint run_;
  CheckpointWriter checkpoints_;
  std::optional<RowCopy> window_;  // nearby rows, if the data is not all in memory
  std::unique_ptr<Trainer> trainer_;
  float epoch_rate_ = 0.0F;               // at the first batch of this epoch
  std::uint64_t bytes_sent_ = 0;          // to other ranks, in the epochs
  std::optional<Evaluation> evaluation_;  // of the last finished epoch
};

/// A training whose classes are shared out among ranks; the trained model is written to a file by
/// all of them, and mapped. `data` and `validation`, which may be null, are all of the data on
/// every rank. The result is the same on every rank, and does not depend on their number, as long
/// as they are no more than the shards (step/class_shards.h). Throws OptionError on
/// options that cannot be trained this way. All ranks call it.
TrainResult train_by_classes(const Dataset& data, const Dataset* validation,
                             const TrainConfig& config, const Context& context);

}  // namespace cane
