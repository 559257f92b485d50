// Trains a language model: the engine that the epoch loop drives, over batches of tokens. It saves
// the best model to its file, lowers the rate after an epoch without improvement, and resumes from
// a checkpoint; on the CPU the resumed run is bit-identical.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "cane/train.h"
#include "core/loop/checkpoint_writer.h"
#include "core/loop/epoch_loop.h"
#include "lm/engine/perplexity.h"
#include "lm/engine/token_streams.h"
#include "lm/engine/train_step.h"

namespace cane::lm {

struct LmEpochReport {
  std::uint32_t epoch = 0;
  double loss = 0.0;
  double coverage = -1.0;  // negative: the head has no candidates
  double learning_rate = 0.0;
  double seconds = 0.0;  // training time since the first step
  double tokens_per_second = 0.0;
  std::optional<Perplexity> validation;
  bool best = false;
};

/// Here the examples of a TrainProgress are tokens.
struct TrainListener {
  std::function<void(const TrainProgress&)> on_progress = [](const TrainProgress&) {};
  std::function<void(const LmEpochReport&)> on_epoch = [](const LmEpochReport&) {};
  std::function<bool()> stop_requested = [] { return false; };
};

/// The progress of training; all of it is stored in the checkpoint.
struct LmTrainState {
  LoopState loop;           // its score is the perplexity of the validation text
  std::uint64_t batch = 0;  // finished batches of the current epoch
  double rate = 0.0;
  double loss = 0.0;  // sum over the tokens of the current epoch
  double tokens = 0.0;
};

class LmTrainer : private Engine {
 public:
  /// `valid` may be empty. Texts, model and listener must outlive the trainer. A file whose path is
  /// empty is not written.
  LmTrainer(LanguageModel& model, const LmTrainOptions& options, std::span<const WordId> train,
            std::span<const WordId> valid, std::string model_path, std::string checkpoint_path,
            TrainListener listener);

  /// Restores the state in which the checkpoint was written. Throws Error if the checkpoint is
  /// damaged, or belongs to other data or options.
  void resume();
  LoopEnd run();
  /// What the checkpoints of run() took.
  CheckpointReport checkpoints() const {
    return {checkpoints_.written(), checkpoints_.bytes(), checkpoints_.seconds_waited(),
            checkpoints_.is_own()};
  }

  const LmTrainState& state() const { return state_; }

 private:
  std::uint64_t steps_per_epoch() const override { return streams_.words(); }
  std::uint64_t steps_done() const override { return static_cast<std::uint64_t>(state_.tokens); }
  bool run_epoch(const std::function<bool()>& go_on) override;
  std::optional<double> validate() override;
  void keep_best() override;
  void finish_epoch(bool is_best) override;
  void save_checkpoint(bool goes_on) override;
  double checkpoint_cost() const override { return checkpoints_.cost(checkpoints_.bytes()); }
  void report_progress(const LoopProgress& progress) override;
  bool stop_requested() override { return listener_.stop_requested(); }

  /// Adds the loss of the steps since the last call. Waits for the device.
  void take_loss();
  std::map<std::string, torch::Tensor> checkpoint_tensors() const;
  std::map<std::string, std::string> identity() const;

  LanguageModel& model_;
  LmTrainOptions options_;
  std::span<const WordId> valid_;
  std::string model_path_;
  CheckpointWriter checkpoints_;
  TrainListener listener_;
  std::string text_checksum_;
  TokenStreams streams_;
  RowOptimizer optimizer_;
  TrainStep step_;
  LmTrainState state_;
  std::optional<Perplexity> validation_;  // result of the last finished epoch
};

}  // namespace cane::lm
