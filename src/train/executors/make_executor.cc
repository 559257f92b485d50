#include <algorithm>
#include <utility>

#include "methods/parallel.h"
#include "train/executors/executors.h"

namespace cane {
namespace {

/// Refreshes a selector's copy of the weights a few times per epoch.
class RefreshingExecutor final : public Executor {
 public:
  RefreshingExecutor(std::unique_ptr<Executor> inner, Selector& selector, bool on_all_threads)
      : inner_(std::move(inner)), selector_(selector), on_all_threads_(on_all_threads) {}

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
        selector_.refresh(on_all_threads_ ? &trainer.pool() : nullptr);
        fresh_until_ = (trainer.state().next_batch / stretch + 1) * stretch;
      }
      goes_on = inner_->run(trainer, std::min(end, fresh_until_), go_on);
    }
    return goes_on;
  }
  void end_epoch(Trainer& trainer) override { inner_->end_epoch(trainer); }

 private:
  std::unique_ptr<Executor> inner_;
  Selector& selector_;
  bool on_all_threads_;
  std::uint64_t fresh_until_ = 0;  // a batch of this epoch
};

std::unique_ptr<Executor> make_plain(const TrainingParts& parts, const TrainConfig& config,
                                     std::uint64_t examples, TrainState& state,
                                     const RunContext& context) {
  const bool has_ranks = !context.ranks().is_alone();
  const bool is_synchronous = has_ranks ? shares_slices(config) : config.deterministic;
  if (has_ranks && !is_synchronous) return make_exchanging(parts, config, examples, state, context);
  if (parts.team) return make_team(parts, config, context.ranks(), nullptr);
  if (is_synchronous && parts.online == nullptr) {
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
                                              !config.deterministic);
}

}  // namespace cane
