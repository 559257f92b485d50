#include <algorithm>

#include "train/executors/executors.h"
#include "train/executors/softmax_team.h"

namespace cane {
namespace {

// Batches after which ranks that all compute the same ask each other whether to stop.
constexpr std::uint64_t kReplicatedBatches = 64;

class SoftmaxExecutor final : public Executor {
 public:
  SoftmaxExecutor(const TrainingParts& parts, const TrainConfig& config, TrainState& state,
                  Communicator& ranks, TouchedPages* touched)
      : team_(*parts.softmax_rows, (*parts.tables)[kClassTable].layout,
              SoftmaxTeam::Rules{.clip = config.clip, .l2 = config.l2}, config.batch,
              state.weights[kClassTable].data()),
        ranks_(ranks),
        touched_(touched) {}

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;

 private:
  SoftmaxTeam team_;
  Communicator& ranks_;
  TouchedPages* touched_;
};

bool SoftmaxExecutor::run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) {
  const bool is_replicated = touched_ == nullptr && !ranks_.is_alone();
  std::uint64_t& next = trainer.state().next_batch;
  bool stops = false;
  while (next < end && !stops) {
    const std::uint64_t stretch = is_replicated ? kReplicatedBatches : end - next;
    team_.run(next, std::min(end, next + stretch),
              {.batch = [&](std::uint64_t index) { return trainer.batch(index); },
               .rate = [&](std::uint64_t index) { return trainer.rate_of(index); },
               .go_on =
                   [&] {
                     stops = !go_on() || stops;
                     return is_replicated || !stops;
                   },
               .learned =
                   [&](const StepStats& stats) {
                     ++next;
                     trainer.learned({&stats, 1});
                   }},
              trainer.pool());
    if (is_replicated) stops = ranks_.any(stops);
  }
  if (touched_ != nullptr) touched_->touch_all();
  return !stops;
}

}  // namespace

std::unique_ptr<Executor> make_softmax(const TrainingParts& parts, const TrainConfig& config,
                                       TrainState& state, Communicator& ranks,
                                       TouchedPages* touched) {
  return std::make_unique<SoftmaxExecutor>(parts, config, state, ranks, touched);
}

}  // namespace cane
