#include <algorithm>

#include "step/step_team.h"
#include "train/executors/executors.h"

namespace cane {
namespace {

// Batches after which ranks that all compute the same ask each other whether to stop.
constexpr std::uint64_t kReplicatedBatches = 64;

class TeamExecutor final : public Executor {
 public:
  TeamExecutor(const TrainingParts& parts, const TrainConfig& config, Communicator& ranks,
               WeightExchange* updates)
      : team_(*parts.team, config.batch),
        ranks_(ranks),
        updates_(updates),
        is_replicated_(updates == nullptr && parts.team->part == nullptr && !ranks.is_alone()) {}

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;

 private:
  StepTeam team_;
  Communicator& ranks_;
  WeightExchange* updates_;
  bool is_replicated_;  // all ranks compute all of the same batches
};

bool TeamExecutor::run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) {
  std::uint64_t& next = trainer.state().next_batch;
  bool stops = false;
  while (next < end && !stops) {
    const std::uint64_t stretch = is_replicated_ ? kReplicatedBatches : end - next;
    const bool goes_on =
        team_.run(trainer.state().loop.epoch, next, std::min(end, next + stretch),
                  {.batch = [&](std::uint64_t index) { return trainer.batch(index); },
                   .rate = [&](std::uint64_t index) { return trainer.rate_of(index); },
                   .go_on =
                       [&] {
                         stops = !go_on() || stops;
                         return is_replicated_ || !stops;
                       },
                   .learned =
                       [&](const StepStats& stats) {
                         ++next;
                         trainer.learned({&stats, 1});
                       }},
                  trainer.pool());
    stops = is_replicated_ ? ranks_.any(stops) : !goes_on;
  }
  if (updates_ != nullptr) updates_->touch_all();
  return !stops;
}

}  // namespace

std::unique_ptr<Executor> make_team(const TrainingParts& parts, const TrainConfig& config,
                                    Communicator& ranks, WeightExchange* updates) {
  return std::make_unique<TeamExecutor>(parts, config, ranks, updates);
}

}  // namespace cane
