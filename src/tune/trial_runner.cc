#include "tune/trial_runner.h"

#include <algorithm>

#include "cane/error.h"
#include "cane/predict.h"
#include "cane/train.h"
#include "core/base/stopwatch.h"
#include "data/subset.h"

namespace cane {

// Observes a training and forwards the events that concern the search.
class TrialRunner::Relay : public TrainObserver {
 public:
  Relay(const TrialRunner& runner, double epochs) : runner_(runner) {
    progress_.trial = runner.trials_;
    progress_.epochs = epochs;
  }
  void on_progress(const TrainProgress& training) override {
    progress_.training = training;
    progress_.seconds = runner_.stopwatch_.seconds();
    runner_.observer_.on_progress(progress_);
  }
  bool stop_requested() override { return runner_.observer_.stop_requested(); }

 private:
  const TrialRunner& runner_;
  TuneProgress progress_;
};

TrialRunner::TrialRunner(const Dataset& data, double held_out, std::uint64_t seed,
                         TuneObserver& observer)
    : parts_(split(data, held_out, seed)), seed_(seed), observer_(observer) {}

std::optional<Trial> TrialRunner::run(TrainConfig config, std::uint32_t rung, double share) {
  if (observer_.stop_requested()) return std::nullopt;
  ++trials_;
  const Stopwatch stopwatch;
  config.epochs = static_cast<std::uint32_t>(std::max(share, 1.0));
  config.pilot = PilotKind::kOff;
  config.keep_best = false;
  Trial trial;
  trial.config = config;
  trial.rung = rung;
  trial.epochs = share;
  try {
    if (!train_and_measure(config, trial)) return std::nullopt;
  } catch (const Error& error) {
    trial.error = error.what();
  }
  trial.seconds = stopwatch.seconds();
  return trial;
}

bool TrialRunner::train_and_measure(const TrainConfig& config, Trial& trial) {
  Relay relay(*this, trial.epochs);
  const TrainResult trained = train(examples_for(trial.epochs), config, &relay);
  if (trained.interrupted) return false;
  trial.config = trained.model.config();
  trial.config.device = config.device;
  EvaluateOptions measures;
  measures.top_k = {1};
  measures.probability = Probability::kNone;
  measures.threads = config.threads;
  trial.accuracy = evaluate(trained.model, parts_.second, measures).accuracy;
  return true;
}

const Dataset& TrialRunner::examples_for(double share) {
  if (share >= 1.0) return rest();
  if (share != part_share_) {
    part_ = rest().subset(split_examples(rest().size(), share, seed_ + 1).held_out);
    part_share_ = share;
  }
  return *part_;
}

}  // namespace cane
