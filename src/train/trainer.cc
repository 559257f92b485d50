#include "train/trainer.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/base/stopwatch.h"
#include "methods/parallel.h"

namespace cane {
namespace {

// Number of times per epoch that a selector's copy of the weights is refreshed.
constexpr std::uint64_t kRefreshesPerEpoch = 4;
// The fewest examples that a thread takes at once, for the sake of speed. With 16 threads and whole
// batches of 16, `cane` loses 0.3 points on ALOI and 4 on paths of files over a bag, and `hsm` 3 on
// ALOI; with these numbers 0.0, 0.1 and 0.4.
constexpr std::size_t kLeastPieceOfRows = 4;  // rows of classes that threads rarely share
constexpr std::size_t kLeastPiece = 2;
// Batches after which ranks that all compute the same ask each other whether to stop.
constexpr std::uint64_t kBatchesAlike = 64;

// Examples of a slice of a synchronous batch: always the same number where results must not depend
// on the number of ranks; otherwise every rank has one slice.
std::size_t slice_examples(const TrainConfig& config, int ranks) {
  constexpr std::size_t kSliceExamples = 8;
  if (config.deterministic) return kSliceExamples;
  const auto count = static_cast<std::size_t>(ranks);
  return std::max<std::size_t>((config.batch + count - 1) / count, 1);
}

}  // namespace

Trainer::Trainer(const DatasetView& data, const TrainingParts& parts, const TrainConfig& config,
                 TrainState& state, ThreadPool& pool)
    : EpochTrainer(data, config, state, parts.chance_loss, parts.window),
      parts_(parts),
      pool_(pool),
      updater_(*parts.tables, config.l2, state),
      interval_(shuffle_.size(), (*parts.tables)[kClassTable].layout.columns(), config.batch,
                parts.ranks == nullptr ? 1 : parts.ranks->ranks()),
      settled_(state.totals) {
  const bool is_synchronous = has_ranks() ? shares_slices(config) : config.deterministic;
  if (has_ranks() && is_synchronous) {
    shared_slices_ = std::make_unique<SliceExchange>(*parts.tables, *parts.ranks);
  } else if (has_ranks()) {
    exchange_ = std::make_unique<WeightExchange>(changing_arrays(state, config), *parts.ranks);
    updater_.record(*exchange_);
  }
  if (parts.softmax_rows != nullptr) {
    softmax_ =
        std::make_unique<SoftmaxTeam>(*parts.softmax_rows, (*parts.tables)[kClassTable].layout,
                                      SoftmaxTeam::Rules{.clip = config.clip, .l2 = config.l2},
                                      config.batch, state.weights[kClassTable].data());
    return;
  }
  if (parts.online == nullptr && is_synchronous) {
    slice_examples_ = slice_examples(config, has_ranks() ? parts.ranks->ranks() : 1);
    const std::size_t slices = (config.batch + slice_examples_ - 1) / slice_examples_;
    for (std::size_t i = 0; i < slices; ++i) slices_.push_back(parts.make_worker());
    return;
  }
  const bool is_alone =
      parts.online != nullptr && (config.deterministic || !parts.online->is_shareable());
  const int threads = is_alone ? 1 : pool.threads();
  if (threads > 1) updater_.share();
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(parts.online != nullptr
                           ? make_hogwild_worker(*parts.online, updater_)
                           : make_hogwild_worker(parts.make_worker(), updater_));
  }
}

// Threads that learn at once do not see each other's steps. So that these are not many more than
// those of a batch, each thread takes a part of one.
std::size_t Trainer::examples_at_once() const {
  const bool shares_few_rows =
      parts_.tables->size() == 1 && (*parts_.tables)[kClassTable].layout.is_row_major();
  return std::max<std::size_t>(shares_few_rows ? kLeastPieceOfRows : kLeastPiece,
                               config_.batch / workers_.size());
}

bool Trainer::run_epoch(const std::function<bool()>& go_on) {
  shuffle_.start_epoch(config_.seed, state_.loop.epoch);
  settled_ = state_.totals;
  const std::uint64_t batches = batches_per_epoch();
  const std::uint64_t stretch =
      parts_.refreshed == nullptr
          ? batches
          : std::max<std::uint64_t>((batches + kRefreshesPerEpoch - 1) / kRefreshesPerEpoch, 1);
  stopped_ = false;
  while (state_.next_batch < batches && !stopped_) {
    const std::uint64_t end = std::min(batches, (state_.next_batch / stretch + 1) * stretch);
    if (parts_.refreshed != nullptr) {
      parts_.refreshed->refresh(config_.deterministic ? nullptr : &pool_);
    }
    run_batches(end, go_on);
  }
  if (exchange_ != nullptr) settle();
  return state_.next_batch == batches;
}

void Trainer::run_batches(std::uint64_t end, const std::function<bool()>& go_on) {
  while (state_.next_batch < end && !stopped_) {
    const std::size_t position = state_.next_batch * config_.batch;
    shuffle_.enter_stretch(position, pool_);
    const std::uint64_t batches =
        (shuffle_.stretch_end(position) + config_.batch - 1) / config_.batch;
    if (exchange_ != nullptr) {
      run_exchanging(std::min(batches, end), go_on);
    } else {
      run_part(std::min(batches, end), go_on);
    }
  }
}

void Trainer::run_part(std::uint64_t end, const std::function<bool()>& go_on) {
  if (softmax_ != nullptr && shared_slices_ != nullptr) {
    run_softmax_alike(end, go_on);
  } else if (softmax_ != nullptr) {
    run_softmax(end, go_on);
  } else if (!slices_.empty()) {
    run_synchronous(end, go_on);
  } else {
    run_hogwild(end, go_on);
  }
}

// Each rank takes its part of the batches up to the next exchange. All ranks come to the same
// place, so a wish to stop is heard first and obeyed by all after the exchange that carries it.
void Trainer::run_exchanging(std::uint64_t end, const std::function<bool()>& go_on) {
  const auto go_on_to_exchange = [&] {
    exchange_->progress();
    if (!go_on()) note_.wants_stop = 1;
    return true;
  };
  const auto rank = static_cast<std::uint64_t>(parts_.ranks->rank());
  const auto ranks = static_cast<std::uint64_t>(parts_.ranks->ranks());
  while (state_.next_batch < end && !stopped_) {
    const std::uint64_t first = state_.next_batch;
    const std::uint64_t count = std::min(end - first, interval_.batches());
    const Stopwatch computing;
    state_.next_batch = first + count * rank / ranks;
    run_part(first + count * (rank + 1) / ranks, go_on_to_exchange);
    stopped_ = false;
    state_.next_batch = first + count;
    if (softmax_ != nullptr) exchange_->touched(kClassTable).touch_all();
    note_.computing = computing.seconds();
    const Stopwatch exchanging;
    take_notes(exchange_->exchange(note_));
    note_.exchanging = exchanging.seconds();
  }
}

void Trainer::take_notes(std::span<const WeightExchange::Note> notes) {
  for (const WeightExchange::Note& note : notes) {
    if (note.wants_stop != 0) stopped_ = true;
  }
  interval_.adapt(notes);
}

void Trainer::settle() {
  take_notes(exchange_->settle());
  Communicator& ranks = *parts_.ranks;
  StepStats& totals = state_.totals;
  const auto sum = [&](auto& total, auto before) { total = before + ranks.sum(total - before); };
  sum(totals.loss, settled_.loss);
  sum(totals.weight, settled_.weight);
  sum(totals.examples, settled_.examples);
  sum(totals.covered, settled_.covered);
  sum(totals.rows_scored, settled_.rows_scored);
  settled_ = totals;
}

void Trainer::run_hogwild(std::uint64_t end, const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.loop.epoch);
  std::atomic<bool> stop = false;
  const std::size_t piece = examples_at_once();
  std::mutex mutex;  // guards next_batch and totals
  const auto work = [&](std::size_t, int worker) {
    try {
      while (!stop) {
        std::uint64_t index = 0;
        {
          const std::lock_guard lock(mutex);
          if (state_.next_batch == end) return;
          index = state_.next_batch++;
        }
        StepStats stats;
        for (auto rest = batch(index); !rest.empty();) {
          const std::size_t count = std::min(rest.size(), piece);
          stats.add(workers_[static_cast<std::size_t>(worker)]->learn(rest.first(count),
                                                                      rate_of(index), random));
          rest = rest.subspan(count);
        }
        {
          const std::lock_guard lock(mutex);
          state_.totals.add(stats);
          check_loss();
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
    pool_.run(workers_.size(), work);
  }
  stopped_ = stop;
}

void Trainer::run_synchronous(std::uint64_t end, const std::function<bool()>& go_on) {
  const CounterRandom random(config_.seed, RandomPurpose::kNoise, state_.loop.epoch);
  const std::size_t size = slice_examples_;
  std::vector<StepStats> stats(slices_.size());
  std::vector<std::span<const TableGradient>> gradients(slices_.size());
  bool wants_stop = false;
  while (state_.next_batch < end) {
    const auto examples = batch(state_.next_batch);
    const std::size_t slices = (examples.size() + size - 1) / size;
    pool_.run(slices, [&](std::size_t slice, int) {
      if (shared_slices_ != nullptr && !shared_slices_->is_own(slice)) return;
      const std::size_t begin = slice * size;
      stats[slice] = slices_[slice]->compute(
          examples.subspan(begin, std::min(size, examples.size() - begin)), random);
      gradients[slice] = slices_[slice]->gradients();
    });
    if (shared_slices_ != nullptr) {
      stopped_ = shared_slices_->exchange(std::span(stats).first(slices),
                                          std::span(gradients).first(slices), wants_stop);
    }
    for (std::size_t slice = 0; slice < slices; ++slice) state_.totals.add(stats[slice]);
    check_loss();
    updater_.apply(std::span(gradients).first(slices), rate_of(state_.next_batch), pool_);
    ++state_.next_batch;
    wants_stop = !go_on() || wants_stop;
    // Ranks must stop at the same batch: that is the one after all have heard of the wish.
    if (shared_slices_ == nullptr) stopped_ = wants_stop;
    if (stopped_) return;
  }
}

void Trainer::run_softmax(std::uint64_t end, const std::function<bool()>& go_on) {
  softmax_->run(state_.next_batch, end,
                {.batch = [&](std::uint64_t index) { return batch(index); },
                 .rate = [&](std::uint64_t index) { return rate_of(index); },
                 .go_on =
                     [&] {
                       stopped_ = !go_on();
                       return !stopped_;
                     },
                 .learned =
                     [&](const StepStats& stats) {
                       state_.totals.add(stats);
                       ++state_.next_batch;
                       check_loss();
                     }},
                pool_);
}

// Every rank computes all, so that only a wish to stop must be heard by all.
void Trainer::run_softmax_alike(std::uint64_t end, const std::function<bool()>& go_on) {
  while (state_.next_batch < end && !stopped_) {
    int wants_stop = 0;
    run_softmax(std::min(end, state_.next_batch + kBatchesAlike), [&] {
      if (!go_on()) wants_stop = 1;
      return true;
    });
    stopped_ = parts_.ranks->sum(wants_stop) > 0;
  }
}

}  // namespace cane
