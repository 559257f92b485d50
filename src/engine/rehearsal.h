// A training on scratch weights, to see what a few batches of it cost.
#pragma once

#include <cstdint>
#include <memory>

#include "cane/train.h"
#include "core/base/thread_pool.h"
#include "engine/start_source.h"
#include "model/model_data.h"
#include "train/epoch_trainer.h"

namespace cane {

class Rehearsal {
 public:
  /// The options must have been checked; `data` and `pool` must outlive the object. Describes the
  /// model, and takes memory for it only when it begins.
  Rehearsal(const Dataset& data, const TrainConfig& asked, ThreadPool& pool);

  const ModelData& model() const { return model_; }

  /// Makes the start weights and what trains them.
  void begin();
  TrainState& state() { return state_; }
  EpochTrainer& trainer() { return *trainer_; }

  /// Trains so many batches, those at this part of the training, from 0 to 1. The first of several
  /// threads stops there; returns how many all of them did.
  std::uint64_t run(std::uint64_t batches, double part);
  /// Seconds for a batch, over a second and a half or an epoch.
  double seconds_per_batch();

 private:
  const Dataset& data_;
  ThreadPool& pool_;
  TrainObserver silent_;
  StartSource source_;
  ModelData model_;
  TrainState state_;
  std::unique_ptr<EpochTrainer> trainer_;
};

}  // namespace cane
