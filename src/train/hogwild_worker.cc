#include "train/hogwild_worker.h"

#include <utility>

namespace cane {
namespace {

class BatchWorker final : public HogwildWorker {
 public:
  BatchWorker(std::unique_ptr<StepWorker> step, Updater& updater)
      : step_(std::move(step)), updater_(updater) {}

  StepStats learn(std::span<const std::uint32_t> examples, float rate,
                  const CounterRandom& random) override {
    const StepStats stats = step_->compute(examples, random);
    updater_.apply(step_->gradients(), rate, scratch_);
    return stats;
  }

 private:
  std::unique_ptr<StepWorker> step_;
  Updater& updater_;
  Updater::Scratch scratch_;
};

class OnlineWorker final : public HogwildWorker {
 public:
  OnlineWorker(OnlineLearner& learner, Updater& updater)
      : learner_(learner), updater_(updater), online_(learner) {}

  StepStats learn(std::span<const std::uint32_t> examples, float rate,
                  const CounterRandom& random) override {
    // Update the encoder before the next example is encoded.
    const std::size_t stretch = learner_.has_encoder() ? 1 : examples.size();
    StepStats stats;
    for (std::size_t begin = 0; begin < examples.size(); begin += stretch) {
      stats.add(learner_.learn(examples.subspan(begin, stretch), rate, random, online_));
      updater_.apply(online_.gradients, rate, scratch_);
    }
    return stats;
  }

 private:
  OnlineLearner& learner_;
  Updater& updater_;
  OnlineLearner::Scratch online_;
  Updater::Scratch scratch_;
};

}  // namespace

std::unique_ptr<HogwildWorker> make_hogwild_worker(std::unique_ptr<StepWorker> step,
                                                   Updater& updater) {
  return std::make_unique<BatchWorker>(std::move(step), updater);
}

std::unique_ptr<HogwildWorker> make_hogwild_worker(OnlineLearner& learner, Updater& updater) {
  return std::make_unique<OnlineWorker>(learner, updater);
}

}  // namespace cane
