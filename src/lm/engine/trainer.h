// From the first epoch to the last: batches, validation, the rate, early stopping, the best model,
// checkpoints and interruption. Resumed from a checkpoint it goes on to the same bits on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cane/train.h"
#include "core/base/stopwatch.h"
#include "lm/engine/perplexity.h"
#include "lm/engine/token_streams.h"
#include "lm/engine/train_step.h"

namespace cane::lm {

struct EpochReport {
  std::uint32_t epoch = 0;
  double loss = 0.0;
  double coverage = -1.0;  // negative: the head has no candidates
  double rate = 0.0;
  double seconds = 0.0;  // of training, since the first step
  double tokens_per_second = 0.0;
  std::optional<Perplexity> valid;
  bool best = false;
};

/// The examples of a TrainProgress are tokens here.
struct TrainListener {
  std::function<void(const TrainProgress&)> on_progress = [](const TrainProgress&) {};
  std::function<void(const EpochReport&)> on_epoch = [](const EpochReport&) {};
  std::function<bool()> stop_requested = [] { return false; };
};

/// How far training is; all of it is in the checkpoint.
struct TrainPlace {
  std::uint32_t epoch = 0;  // finished ones
  std::uint64_t batch = 0;  // finished ones of the next
  std::uint32_t best_epoch = 0;
  double best = 0.0;  // validation perplexity of that one
  double rate = 0.0;
  double seconds = 0.0;
  double loss = 0.0;  // sum over the tokens of the epoch
  double tokens = 0.0;
};

enum class TrainEnd { kDone, kEarly, kInterrupted };

class Trainer {
 public:
  /// `valid` may be empty. Texts, model and listener must outlive the trainer. An empty path: no
  /// such file is written.
  Trainer(LanguageModel& model, const TrainOptions& options, std::span<const WordId> train,
          std::span<const WordId> valid, std::string model_path, std::string checkpoint_path,
          TrainListener listener);

  /// Goes back to where the checkpoint was written. Throws Error if it is damaged, or belongs to
  /// other data or options.
  void resume();
  TrainEnd run();

  const TrainPlace& place() const { return place_; }

 private:
  bool run_epoch();  // false: interrupted
  /// True: another epoch is worth it.
  bool finish_epoch();
  void report_progress();
  void save_checkpoint() const;
  std::map<std::string, torch::Tensor> checkpoint_tensors() const;
  std::map<std::string, std::string> identity() const;
  void save_best(const EpochReport& report) const;
  void take_loss();

  LanguageModel& model_;
  TrainOptions options_;
  std::span<const WordId> valid_;
  std::string model_path_;
  std::string checkpoint_path_;
  TrainListener listener_;
  std::string text_checksum_;
  TokenStreams streams_;
  Optimizer optimizer_;
  TrainStep step_;
  TrainPlace place_;
  Stopwatch since_;  // place_.seconds was last set
};

}  // namespace cane::lm
