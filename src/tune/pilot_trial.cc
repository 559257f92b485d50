#include "tune/pilot_trial.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cane/error.h"
#include "cane/predict.h"
#include "core/base/stopwatch.h"
#include "data/loaded_data.h"
#include "engine/training.h"
#include "methods/config_facts.h"
#include "methods/device.h"

namespace cane {

// Asks the user's observer on the thread that called, and passes the answer to the others.
class PilotRunner::Relay : public TrainObserver {
 public:
  Relay(PilotRunner& runner, bool asks) : runner_(runner), asks_(asks) {}
  bool stop_requested() override {
    if (asks_ && runner_.observer_.stop_requested()) runner_.stopped_ = true;
    return runner_.stopped_;
  }

 private:
  PilotRunner& runner_;
  bool asks_;
};

bool PilotRunner::run(const Replica& replica, std::span<PilotTrial> trials) {
  return run(std::vector<const Replica*>(trials.size(), &replica), trials);
}

bool PilotRunner::run(std::span<const Replica* const> replicas, std::span<PilotTrial> trials) {
  pool_.run(trials.size(), [&](std::size_t i, int worker) {
    if (!stopped_) run_one(*replicas[i], trials[i], worker == 0);
  });
  return !stopped_ && !observer_.stop_requested();
}

void PilotRunner::run_one(const Replica& replica, PilotTrial& trial, bool is_callers_thread) {
  const Stopwatch stopwatch;
  TrainConfig config = trial.config;
  config.patience = 0;
  config.keep_best = false;
  config.memory = 0;
  config.threads = 1;
  config.deterministic = true;
  config.checkpoint_path.clear();
  if (trains_on_device(config)) {
    // Replicas are small: the processor trains several at once before a device has begun, and in
    // batches of its own.
    config.device = TrainConfig::kProcessor;
    config.batch = 0;
  }
  const auto classes = static_cast<std::uint32_t>(replica.train.classes());
  if (row_of(config.method).has_candidates) {
    config.candidates = std::min(config.candidates, classes);
    config.beam = std::min(config.beam, classes);
  } else if (row_of(config.method).has_noises()) {
    // As many noises as in the whole training would be nearly all classes of the replica; what
    // counts for a sampler is the share of the classes that it sees.
    const double share = classes / (classes + static_cast<double>(replica.left_out));
    config.noises = std::max(
        static_cast<std::uint32_t>(std::lround(share * static_cast<double>(config.noises))), 1U);
  }
  Relay relay(*this, is_callers_thread);
  try {
    const TrainResult trained = Training(nullptr, replica.train, nullptr, config, &relay).run();
    if (trained.interrupted) return;
    trial.config.lr = trained.model.config().lr;
    EvaluateOptions measures;
    measures.top_k = {1};
    measures.probability = Probability::kNone;
    measures.threads = 1;
    trial.accuracy = evaluate(trained.model, replica.held_out, measures).accuracy;
  } catch (const Error& error) {
    trial.error = error.what();
  }
  trial.seconds = stopwatch.seconds();
}

}  // namespace cane
