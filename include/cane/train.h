// Training: produces a model from a dataset and a config.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/context.h"
#include "cane/dataset.h"
#include "cane/model.h"
#include "cane/predict.h"

namespace cane {

struct TrainProgress {
  std::uint32_t epoch = 0;  // counted from 1
  std::uint32_t epochs = 0;
  std::uint64_t examples_done = 0;  // over all epochs
  std::uint64_t examples_total = 0;
  double loss = 0.0;  // mean over the epoch so far
  double examples_per_second = 0.0;
  double seconds_left = 0.0;
};

struct EpochReport {
  std::uint32_t epoch = 0;
  double loss = 0.0;
  double coverage = 0.0;  // share of training examples whose label was among the candidates
  double learning_rate = 0.0;
  double seconds = 0.0;  // since training began, with checkpoints, without validation
  std::optional<Evaluation> validation;
  bool best = false;
};

/// Receives progress and can request a stop. All calls come from the thread that called train.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_message(const std::string& /*text*/) {}
  virtual void on_progress(const TrainProgress&) {}
  virtual void on_epoch(const EpochReport&) {}
  /// Return true to stop at the next batch, save, and return the model trained so far.
  virtual bool stop_requested() { return false; }
  /// Return true to give up while the training is being prepared (trees and class means of large
  /// data take a while): train() then throws Interrupted. Without it, training ends at the first
  /// batch.
  virtual bool give_up_requested() { return false; }
};

/// What the checkpoints of a training took.
struct CheckpointReport {
  std::uint32_t written = 0;
  std::uint64_t bytes = 0;  // of the last one
  double seconds = 0.0;     // for which training stood still
  bool is_own = true;       // what lies there, if anything; another training may have written it
};

/// What further training has made of the classes of the model that its data lacks.
struct OldClassReport {
  std::size_t examples = 0;  // that it was measured on
  double before = 0.0;       // accuracy
  double after = 0.0;
  /// By so much that the model is hardly of use where the one before was. New classes that resemble
  /// old ones cost these up to eight points in any training, where half of all are new.
  bool has_fallen() const { return after < before - 0.1; }
};

struct TrainResult {
  Model model;  // the best on the validation data, or the last: see TrainConfig::keep_best
  std::uint32_t epochs = 0;
  bool interrupted = false;
  bool stopped_early = false;
  CheckpointReport checkpoints = {};
  std::optional<OldClassReport> old_classes = {};  // where there is anything to measure on
  std::uint64_t expected_bytes = 0;                // the peak of memory by TrainEstimate
  std::uint64_t bytes_sent = 0;                    // by this rank to all others, in the epochs
};

/// The options a checkpoint was written with; to resume, train with these.
TrainConfig checkpoint_config(const std::string& path);

/// Throws Error on invalid options and if the loss diverges. `validation` must have been read using
/// the labels and features of `data`. Ranks share the work as TrainConfig::parallel says: all of
/// them call it with the same options and the same data, which Dataset::gathered() gives, and get
/// the same model. Observers of all ranks are called; one that wants to stop stops all.
TrainResult train(const Dataset& data, const TrainConfig& config = {}, const Context& context = {},
                  const Dataset* validation = nullptr);

/// Continues training a finished model for `config.epochs` over `data`, which must have been read
/// using the model with DataOptions::add_labels: labels that the model lacks become new classes.
/// Options that define the model are taken from the model. With config.resume, training continues
/// from its checkpoint.
TrainResult continue_training(const Model& model, const Dataset& data, const TrainConfig& config,
                              const Context& context = {}, const Dataset* validation = nullptr);

/// Whether a checkpoint was written by continue_training. To resume from it, read the data using
/// the checkpoint, which is itself a model.
bool is_continued_training(const std::string& checkpoint_path);

/// What a training needs of the GPU that TrainConfig::device names.
struct DeviceEstimate {
  std::string name;                // as the driver calls it; empty if it cannot be used
  std::string problem;             // why it cannot be used, and the remedy; empty if it can
  std::uint64_t needed_bytes = 0;  // 0: unknown
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  bool keeps_data = false;  // all examples lie in its memory; if false, they are streamed
};

/// Estimated cost of training; a few batches are timed on scratch weights. Without the device that
/// was asked for, nothing is timed, and `seconds` is 0.
struct TrainEstimate {
  std::uint64_t program_bytes = 0;  // code and libraries
  std::uint64_t data_bytes = 0;     // examples, in memory or mapped and in use
  std::uint64_t names_bytes = 0;    // labels and words
  std::uint64_t reading_bytes = 0;  // text and parsed blocks, freed after reading
  std::uint64_t model_bytes = 0;    // weights
  std::uint64_t optimizer_bytes = 0;
  std::uint64_t start_bytes = 0;         // class means, freed before the first epoch
  std::uint64_t workspace_bytes = 0;     // scratch memory of the epochs, all threads
  std::uint64_t copy_bytes = 0;          // of the state, from which a checkpoint is written
  std::uint64_t pilot_bytes = 0;         // trainings on replicas, freed before the training
  std::uint64_t free_bytes = 0;          // on this machine or in its control group; 0: unknown
  std::optional<DeviceEstimate> device;  // empty: the epochs run on the processor
  double seconds = 0.0;                  // with checkpoints
  std::uint64_t checkpoint_bytes = 0;    // of one, on disk; 0: none is written
  std::uint32_t checkpoints = 0;         // how many
  double checkpoint_seconds = 0.0;  // to write one; training goes on meanwhile if memory allows
  /// What a pilot would compare before the training; empty: nothing.
  std::string pilot;
  /// Peak memory.
  std::uint64_t total_bytes() const {
    const std::uint64_t training =
        model_bytes + optimizer_bytes + std::max(start_bytes, workspace_bytes + copy_bytes);
    return program_bytes + data_bytes + names_bytes +
           std::max({reading_bytes, pilot_bytes, training});
  }
};
TrainEstimate estimate_training(const Dataset& data, const TrainConfig& config,
                                const Dataset* validation = nullptr);

}  // namespace cane
