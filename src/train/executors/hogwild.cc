#include <algorithm>
#include <atomic>
#include <mutex>

#include "train/executors/executors.h"
#include "train/executors/updater.h"

namespace cane {
namespace {

// The fewest examples that a thread takes at once, for the sake of speed. With 16 threads and whole
// batches of 16, `cane` loses 0.3 points on ALOI and 4 on paths of files over a bag, and `hsm` 3 on
// ALOI; with these numbers 0.0, 0.1 and 0.4.
constexpr std::size_t kLeastPieceOfRows = 4;  // rows of classes that threads rarely share
constexpr std::size_t kLeastPiece = 2;

// Threads that learn at once do not see each other's steps. So that these are not many more than
// those of a batch, each thread takes a part of one.
std::size_t examples_at_once(const std::vector<ParameterTable>& tables, std::size_t batch,
                             std::size_t threads) {
  const bool shares_few_rows = tables.size() == 1 && tables[kClassTable].layout.is_row_major();
  return std::max(shares_few_rows ? kLeastPieceOfRows : kLeastPiece, batch / threads);
}

/// One thread.
class Worker {
 public:
  Worker(const TrainingParts& parts, Updater& updater) : updater_(updater) {
    if (parts.make_example_worker == nullptr) {
      step_ = parts.make_worker();
    } else {
      learner_ = parts.make_example_worker();
    }
  }

  StepStats learn(std::span<const std::uint32_t> examples, float rate,
                  const CounterRandom& random) {
    StepStats stats;
    if (step_ != nullptr) {
      stats = step_->compute(examples, random);
      updater_.apply(step_->gradients(), rate, scratch_);
      return stats;
    }
    const std::size_t stretch = std::min(learner_->most_examples(), examples.size());
    for (std::size_t begin = 0; begin < examples.size(); begin += stretch) {
      stats.add(learner_->learn(examples.subspan(begin, stretch), rate, random));
      updater_.apply(learner_->gradients(), rate, scratch_);
    }
    return stats;
  }

 private:
  std::unique_ptr<StepWorker> step_;  // null if examples are learned one by one
  std::unique_ptr<ExampleWorker> learner_;
  Updater& updater_;
  Updater::Scratch scratch_;
};

class HogwildExecutor final : public Executor {
 public:
  HogwildExecutor(const TrainingParts& parts, const TrainConfig& config, TrainState& state,
                  int threads, WeightExchange* updates)
      : updater_(*parts.tables, config.l2, state) {
    if (updates != nullptr) updater_.record(*updates);
    const bool is_alone = parts.make_example_worker != nullptr &&
                          (config.deterministic || state.method_state != nullptr);
    const int workers = is_alone ? 1 : threads;
    if (workers > 1) updater_.share();
    for (int i = 0; i < workers; ++i) workers_.push_back(std::make_unique<Worker>(parts, updater_));
    piece_ = examples_at_once(*parts.tables, config.batch, workers_.size());
  }

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;

 private:
  Updater updater_;
  std::vector<std::unique_ptr<Worker>> workers_;  // one per thread
  std::size_t piece_;                             // examples that a thread takes at once
};

bool HogwildExecutor::run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) {
  const CounterRandom random = trainer.random();
  std::atomic<bool> stop = false;
  std::mutex mutex;  // guards the position and the sums of the state
  const auto work = [&](std::size_t, int worker) {
    try {
      while (!stop) {
        std::uint64_t index = 0;
        {
          const std::lock_guard lock(mutex);
          if (trainer.state().next_batch == end) return;
          index = trainer.state().next_batch++;
        }
        StepStats stats;
        for (auto rest = trainer.batch(index); !rest.empty();) {
          const std::size_t count = std::min(rest.size(), piece_);
          stats.add(workers_[static_cast<std::size_t>(worker)]->learn(
              rest.first(count), trainer.rate_of(index), random));
          rest = rest.subspan(count);
        }
        {
          const std::lock_guard lock(mutex);
          trainer.learned({&stats, 1});
        }
        if (worker == 0 && !go_on()) stop = true;
      }
    } catch (...) {
      stop = true;
      throw;
    }
  };
  if (workers_.size() == 1) {
    work(0, 0);
  } else {
    trainer.pool().run(workers_.size(), work);
  }
  return !stop;
}

}  // namespace

std::unique_ptr<Executor> make_hogwild(const TrainingParts& parts, const TrainConfig& config,
                                       TrainState& state, int threads, WeightExchange* updates) {
  return std::make_unique<HogwildExecutor>(parts, config, state, threads, updates);
}

}  // namespace cane
