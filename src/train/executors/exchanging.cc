#include <algorithm>
#include <utility>

#include "core/base/stopwatch.h"
#include "train/executors/executors.h"

namespace cane {
namespace {

// Of the time of computing.
constexpr double kLargestShare = 0.1;
constexpr double kSmallestShare = 0.02;
// The most examples of all ranks. Steps that a rank does not know of do little harm where there are
// far fewer than there are classes: with 8 ranks on ALOI, of 1,000 classes, `cane` over a narrow
// proposal loses 0.05 points with 64 examples between exchanges, 0.3 with 256, and 4 with 1,024.
constexpr std::uint64_t kClassesPerExample = 8;
constexpr std::uint64_t kMostExamples = 1024;
constexpr std::uint64_t kExchangesPerEpoch = 512;

/// How many batches the ranks take between two exchanges of weights: as few as possible, since
/// steps that others do not know of yet are taken at old weights, but enough that exchanging takes
/// a small part of the time. It is adapted to what the ranks have measured; all of them decide the
/// same, because all get the same notes.
class ExchangeInterval {
 public:
  /// `examples`: of an epoch; `batch`: how many of these are a batch.
  ExchangeInterval(std::uint64_t examples, std::uint64_t classes, std::uint64_t batch, int ranks);

  /// Of all ranks together.
  std::uint64_t batches() const { return batches_; }

  void adapt(std::span<const WeightExchange::Note> notes);

 private:
  std::uint64_t most_;
  std::uint64_t least_;
  std::uint64_t batches_;
};

ExchangeInterval::ExchangeInterval(std::uint64_t examples, std::uint64_t classes,
                                   std::uint64_t batch, int ranks)
    : most_(std::max(
          static_cast<std::uint64_t>(ranks),
          std::min({kMostExamples, classes / kClassesPerExample, examples / kExchangesPerEpoch}) /
              batch)),
      least_(static_cast<std::uint64_t>(ranks)),
      batches_(least_) {}

void ExchangeInterval::adapt(std::span<const WeightExchange::Note> notes) {
  double computing = 0.0;
  double exchanging = 0.0;
  for (const WeightExchange::Note& note : notes) {
    computing = std::max(computing, note.computing);
    exchanging = std::max(exchanging, note.exchanging);
  }
  if (exchanging > kLargestShare * computing) batches_ = std::min(most_, 2 * batches_);
  if (exchanging < kSmallestShare * computing) batches_ = std::max(least_, batches_ / 2);
}

// All that steps change: the weights of each table, then the state of each optimiser. A proposal
// changes the rows of all classes in every batch, most of them very little, and only has
// to find candidates. On 4 ranks, 1/8192 costs ALOI nothing and 5,000 synthetic classes 0.04
// points, and saves half of the bytes and 17 of 18; 1/1024 for all weights has cost 0.3 points.
std::vector<ChangingArray> changing_arrays(TrainState& state, const TrainConfig& config) {
  constexpr float kLeastChange = 1.0F / 8192;
  constexpr float kLeastChangeOfProposal = 1.0F / 1024;
  std::vector<ChangingArray> arrays;
  for (AlignedBuffer<float>& weights : state.weights)
    arrays.push_back({weights.span(), kLeastChange});
  if (uses_proposal(config)) arrays[proposal_table(config)].least_change = kLeastChangeOfProposal;
  for (const auto& optimizer : state.optimizers) arrays.push_back({optimizer->state()});
  return arrays;
}

class ExchangingExecutor final : public Executor {
 public:
  /// `own` marks what it changes in the exchange.
  ExchangingExecutor(std::unique_ptr<WeightExchange> exchange, std::unique_ptr<Executor> own,
                     const ExchangeInterval& interval, Communicator& ranks)
      : exchange_(std::move(exchange)), own_(std::move(own)), interval_(interval), ranks_(ranks) {}

  void begin_epoch(Trainer& trainer) override { settled_ = trainer.state().totals; }
  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;
  void end_epoch(Trainer& trainer) override;

 private:
  std::unique_ptr<WeightExchange> exchange_;
  std::unique_ptr<Executor> own_;
  ExchangeInterval interval_;
  Communicator& ranks_;
  WeightExchange::Note note_;
  StepStats settled_;  // totals of the epoch that the ranks have added up
};

// Each rank takes its part of the batches up to the next exchange. All ranks come to the same
// place: a stop request takes effect on all of them after the exchange that carries it.
bool ExchangingExecutor::run(Trainer& trainer, std::uint64_t end,
                             const std::function<bool()>& go_on) {
  const auto go_on_to_exchange = [&] {
    exchange_->progress();
    if (!go_on()) note_.wants_stop = 1;
    return true;
  };
  const auto rank = static_cast<std::uint64_t>(ranks_.rank());
  const auto ranks = static_cast<std::uint64_t>(ranks_.ranks());
  std::uint64_t& next = trainer.state().next_batch;
  bool stops = false;
  while (next < end && !stops) {
    const std::uint64_t first = next;
    const std::uint64_t count = std::min(end - first, interval_.batches());
    const Stopwatch computing;
    next = first + count * rank / ranks;
    own_->run(trainer, first + count * (rank + 1) / ranks, go_on_to_exchange);
    next = first + count;
    note_.computing = computing.seconds();
    const Stopwatch exchanging;
    const std::vector<WeightExchange::Note> notes = exchange_->exchange(note_);
    stops = std::ranges::any_of(notes, [](const auto& note) { return note.wants_stop != 0; });
    interval_.adapt(notes);
    note_.exchanging = exchanging.seconds();
  }
  return !stops;
}

void ExchangingExecutor::end_epoch(Trainer& trainer) {
  interval_.adapt(exchange_->settle());
  StepStats& totals = trainer.state().totals;
  const auto sum = [&](auto& total, auto before) { total = before + ranks_.sum(total - before); };
  sum(totals.loss, settled_.loss);
  sum(totals.weight, settled_.weight);
  sum(totals.examples, settled_.examples);
  sum(totals.covered, settled_.covered);
  sum(totals.rows_scored, settled_.rows_scored);
  settled_ = totals;
}

}  // namespace

std::unique_ptr<Executor> make_exchanging(const TrainingParts& parts, const TrainConfig& config,
                                          std::uint64_t examples, TrainState& state,
                                          const RunContext& context) {
  Communicator& ranks = context.ranks();
  auto exchange = std::make_unique<WeightExchange>(changing_arrays(state, config), ranks);
  std::unique_ptr<Executor> own;
  if (parts.team) {
    own = make_team(parts, config, ranks, exchange.get());
  } else {
    own = make_hogwild(parts, config, state, context.threads(), exchange.get());
  }
  const ExchangeInterval interval(examples, (*parts.tables)[kClassTable].layout.columns(),
                                  config.batch, ranks.ranks());
  return std::make_unique<ExchangingExecutor>(std::move(exchange), std::move(own), interval, ranks);
}

}  // namespace cane
