#include <algorithm>
#include <utility>

#include "methods/parallel.h"
#include "train/executors/executors.h"

namespace cane {
namespace {

/// Refreshes a selector's copy of the weights a few times per epoch.
class RefreshingExecutor final : public Executor {
 public:
  /// `settles`: ranks have weights of their own until the epoch ends.
  RefreshingExecutor(std::unique_ptr<Executor> inner, Selector& selector, bool on_all_threads,
                     bool settles)
      : inner_(std::move(inner)),
        selector_(selector),
        on_all_threads_(on_all_threads),
        settles_(settles) {}

  void begin_epoch(Trainer& trainer) override {
    fresh_until_ = 0;
    inner_->begin_epoch(trainer);
  }
  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override {
    constexpr std::uint64_t kRefreshesPerEpoch = 4;
    const std::uint64_t stretch = std::max<std::uint64_t>(
        (trainer.batches_per_epoch() + kRefreshesPerEpoch - 1) / kRefreshesPerEpoch, 1);
    bool goes_on = true;
    while (trainer.state().next_batch < end && goes_on) {
      if (trainer.state().next_batch >= fresh_until_) {
        refresh(trainer);
        fresh_until_ = (trainer.state().next_batch / stretch + 1) * stretch;
      }
      goes_on = inner_->run(trainer, std::min(end, fresh_until_), go_on);
    }
    return goes_on;
  }
  // What a selector has measured on weights that differ from rank to rank differs, too.
  void end_epoch(Trainer& trainer) override {
    inner_->end_epoch(trainer);
    if (settles_) refresh(trainer);
  }

 private:
  void refresh(Trainer& trainer) { selector_.refresh(on_all_threads_ ? &trainer.pool() : nullptr); }

  std::unique_ptr<Executor> inner_;
  Selector& selector_;
  bool on_all_threads_;
  bool settles_;
  std::uint64_t fresh_until_ = 0;  // a batch of this epoch
};

// Whether each of several ranks takes batches of its own.
bool has_own_batches(const TrainConfig& config, const Communicator& ranks) {
  return !ranks.is_alone() && !shares_slices(config);
}

std::unique_ptr<Executor> make_plain(const TrainingParts& parts, const TrainConfig& config,
                                     std::uint64_t examples, TrainState& state,
                                     const RunContext& context) {
  const bool shares_classes = parts.team && parts.team->part != nullptr;
  if (has_own_batches(config, context.ranks()) && !shares_classes) {
    return make_exchanging(parts, config, examples, state, context);
  }
  if (parts.team) return make_team(parts, config, context.ranks(), nullptr);
  if (parts.make_example_worker == nullptr &&
      (config.deterministic || !context.ranks().is_alone())) {
    return make_synchronous(parts, config, state, context.ranks());
  }
  return make_hogwild(parts, config, state, context.threads(), nullptr);
}

}  // namespace

std::unique_ptr<Executor> make_executor(const TrainingParts& parts, const TrainConfig& config,
                                        std::uint64_t examples, TrainState& state,
                                        const RunContext& context) {
  auto executor = make_plain(parts, config, examples, state, context);
  if (parts.refreshed == nullptr) return executor;
  return std::make_unique<RefreshingExecutor>(std::move(executor), *parts.refreshed,
                                              !config.deterministic,
                                              has_own_batches(config, context.ranks()));
}

}  // namespace cane
