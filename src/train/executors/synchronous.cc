#include <algorithm>

#include "train/executors/executors.h"
#include "train/executors/updater.h"
#include "train/parallel/slice_exchange.h"

namespace cane {
namespace {

// Examples of a slice of a batch: always the same number where results must not depend on the
// number of ranks; otherwise every rank has one slice.
std::size_t slice_examples(const TrainConfig& config, int ranks) {
  constexpr std::size_t kSliceExamples = 8;
  if (config.deterministic) return kSliceExamples;
  const auto count = static_cast<std::size_t>(ranks);
  return std::max<std::size_t>((config.batch + count - 1) / count, 1);
}

class SynchronousExecutor final : public Executor {
 public:
  SynchronousExecutor(const TrainingParts& parts, const TrainConfig& config, TrainState& state,
                      Communicator& ranks)
      : ranks_(ranks),
        exchange_(*parts.tables, ranks),
        updater_(*parts.tables, config.l2, state),
        slice_examples_(slice_examples(config, ranks.ranks())) {
    const std::size_t slices = (config.batch + slice_examples_ - 1) / slice_examples_;
    for (std::size_t i = 0; i < slices; ++i) slices_.push_back(parts.make_worker());
  }

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;

 private:
  Communicator& ranks_;
  SliceExchange exchange_;
  Updater updater_;
  std::size_t slice_examples_;
  std::vector<std::unique_ptr<StepWorker>> slices_;  // one per slice of a batch
};

bool SynchronousExecutor::run(Trainer& trainer, std::uint64_t end,
                              const std::function<bool()>& go_on) {
  const CounterRandom random = trainer.random();
  std::uint64_t& next = trainer.state().next_batch;
  std::vector<StepStats> stats(slices_.size());
  std::vector<std::span<const TableGradient>> gradients(slices_.size());
  bool wants_stop = false;
  bool stops = false;
  while (next < end && !stops) {
    const auto examples = trainer.batch(next);
    const std::size_t slices = (examples.size() + slice_examples_ - 1) / slice_examples_;
    trainer.pool().run(slices, [&](std::size_t slice, int) {
      if (!exchange_.is_own(slice)) return;
      const std::size_t begin = slice * slice_examples_;
      stats[slice] = slices_[slice]->compute(
          examples.subspan(begin, std::min(slice_examples_, examples.size() - begin)), random);
      gradients[slice] = slices_[slice]->gradients();
    });
    stops = exchange_.exchange(std::span(stats).first(slices), std::span(gradients).first(slices),
                               wants_stop);
    trainer.learned(std::span(stats).first(slices));
    updater_.apply(std::span(gradients).first(slices), trainer.rate_of(next), trainer.pool());
    ++next;
    wants_stop = !go_on() || wants_stop;
    if (ranks_.is_alone()) stops = wants_stop;
  }
  return !stops;
}

}  // namespace

std::unique_ptr<Executor> make_synchronous(const TrainingParts& parts, const TrainConfig& config,
                                           TrainState& state, Communicator& ranks) {
  return std::make_unique<SynchronousExecutor>(parts, config, state, ranks);
}

}  // namespace cane
