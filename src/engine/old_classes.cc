#include "engine/old_classes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "data/loaded_data.h"
#include "data/rows/joined_rows.h"
#include "engine/hold_out.h"
#include "engine/method.h"
#include "engine/start_source.h"
#include "model/grow_tables.h"
#include "train/shuffle.h"

namespace cane {
namespace {

// One kept example in so many is left out of the training, and one in so many of the data.
constexpr std::size_t kOneKeptIn = 5;
constexpr std::size_t kOneOfDataIn = 20;
constexpr std::size_t kMostMeasured = 1000;
// With fewer, what is trained on is measured on.
constexpr std::size_t kFewestMeasured = 20;
// With fewer kept examples that no training has seen, some of the others are left out, too.
constexpr std::size_t kFewestUnseen = 100;
// Where classes are many and the data is small, kept examples may be so many times as many.
constexpr std::size_t kMostTimesData = 10;
// What the data gives up where nothing can be measured of the held ones.
constexpr double kGivenUp = 0.05;

// The share of weights that are all those of before, those of classes that are not held, too.
constexpr float kStart = -1.0F;
constexpr float kShares[] = {1.0F, 0.75F, 0.5F, 0.25F, 0.0F, kStart};
// Scores are logarithms of probabilities.
constexpr float kPenalties[] = {0.0F,  0.25F, 0.5F,  0.75F, 1.0F,  1.25F, 1.5F,
                                1.75F, 2.0F,  2.25F, 2.5F,  2.75F, 3.0F,  3.5F,
                                4.0F,  5.0F,  6.0F,  8.0F,  10.0F, 14.0F, 20.0F};

/// The weights as a mixture.
class Mixture {
 public:
  Mixture(const ModelData& model, const WeightTables& before, WeightTables& weights,
          const std::vector<bool>& is_held, const std::vector<bool>& is_new)
      : before_(before), learned_(copy_of(weights)), weights_(weights) {
    for (ClassId k = 0; k < is_held.size(); ++k) {
      if (is_held[k]) continue;
      for (const ClassColumn& column : class_columns(model, k)) {
        (is_new[k] ? of_new_ : of_others_).push_back(column);
      }
    }
  }

  void set(float share, float penalty) {
    for (std::size_t table = 0; table < before_.size(); ++table) {
      const float* const from = before_[table].data();
      const float* const to = learned_[table].data();
      float* const mixed = weights_[table].data();
      for (std::size_t i = 0; i < weights_[table].size(); ++i) {
        mixed[i] = from[i] + std::max(share, 0.0F) * (to[i] - from[i]);
      }
    }
    const bool is_start = share == kStart;
    for (const ClassColumn& column : of_others_) {
      if (!is_start) take_learned(column);
    }
    for (const ClassColumn& column : of_new_) {
      if (!is_start) take_learned(column);
      weights_[column.table].data()[column.bias] -= penalty;
    }
  }

 private:
  void take_learned(const ClassColumn& column) {
    const float* const to = learned_[column.table].data();
    float* const mixed = weights_[column.table].data();
    for (std::size_t i = column.begin; i <= column.bias; i += column.stride) mixed[i] = to[i];
  }

  const WeightTables& before_;
  WeightTables learned_;
  WeightTables& weights_;
  std::vector<ClassColumn> of_others_;
  std::vector<ClassColumn> of_new_;
};

struct Choice {
  float share = 1.0F;
  std::size_t penalty = 0;  // its place in the list
  double of_old = 0.0;      // accuracies
  double of_new = 0.0;
  double sum() const { return of_old + of_new; }
};

// `try_out(share, penalty)` returns a choice with its accuracies. The best penalty for one share is
// near that for the next.
template <typename TryOut>
Choice best_for_both(Choice best, bool tries_start, const TryOut& try_out) {
  constexpr int kPatience = 3;
  std::size_t begin = 0;
  for (const float share : kShares) {
    if (share == kStart && !tries_start) break;
    if (share == kStart) begin = 0;
    Choice here = try_out(share, begin);
    for (const bool goes_up : {true, false}) {
      int worse = 0;
      std::size_t place = begin;
      while (worse < kPatience && (goes_up ? place + 1 < std::size(kPenalties) : place > 0)) {
        place = goes_up ? place + 1 : place - 1;
        const Choice next = try_out(share, place);
        worse = next.sum() > here.sum() ? 0 : worse + 1;
        if (worse == 0) here = next;
      }
    }
    begin = here.penalty;
    if (here.sum() > best.sum()) best = here;
  }
  return best;
}

// As much of the weights before, and then as high a penalty, as the data can bear.
template <typename TryOut>
Choice most_careful(Choice best, const TryOut& try_out) {
  const double least = best.of_new - kGivenUp;
  for (const float share : kShares) {
    if (share == kStart) continue;
    const Choice next = try_out(share, 0);
    if (next.of_new >= least) best = next;
  }
  for (std::size_t penalty = 1; penalty < std::size(kPenalties); ++penalty) {
    const Choice next = try_out(best.share, penalty);
    if (next.of_new < least) break;
    best = next;
  }
  return best;
}

Dataset dataset_of(const Dataset& like, std::shared_ptr<const JoinedRows> rows) {
  LoadedData data = like.data();
  data.view = rows->view();
  data.storage = std::move(rows);
  return Dataset(std::make_shared<const LoadedData>(std::move(data)));
}

}  // namespace

std::optional<OldClasses> OldClasses::of(std::span<const std::uint64_t> counts,
                                         const KeptExamples& kept, const Dataset& data,
                                         std::uint64_t seed) {
  if (kept.size() == 0 && data.classes() == counts.size()) return std::nullopt;
  OldClasses classes(counts, kept, data, seed);
  if (std::ranges::find(classes.is_held_, true) == classes.is_held_.end()) return std::nullopt;
  return classes;
}

OldClasses::OldClasses(std::span<const std::uint64_t> counts, const KeptExamples& kept,
                       const Dataset& data, std::uint64_t seed)
    : train_(data), new_(data) {
  const std::vector<std::uint64_t> now = count_examples(data);
  std::vector<std::uint64_t> kept_counts(now.size(), 0);
  for (const ClassId label : kept.labels) ++kept_counts[label];
  double held = 0.0;
  double stands_for = 0.0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    is_new_.push_back(k >= counts.size() || counts[k] == 0);
    is_held_.push_back(!is_new_[k] && now[k] < std::max<std::uint64_t>(kept_counts[k], 1));
    if (!is_held_[k] || kept_counts[k] == 0) continue;
    held += static_cast<double>(kept_counts[k]);
    stands_for += static_cast<double>(counts[k]);
  }
  holds_most_ = 2.0 * held > stands_for;
  const auto is_held = [&](ClassId label) { return static_cast<bool>(is_held_[label]); };
  measures_unseen_ = static_cast<std::size_t>(std::ranges::count_if(kept.labels.first(kept.unseen),
                                                                    is_held)) >= kFewestUnseen;
  // Rows that were just trained on would hide what a penalty costs. But where most old examples are
  // trained on again, these are at no disadvantage, and both sides are measured so.
  const std::size_t measured = std::min(data.size() / kOneOfDataIn, kMostMeasured);
  if (measured >= kFewestMeasured) {
    const auto [rest, left_out] = hold_out(data, measured, seed);
    new_ = left_out;
    leaves_out_ = !wants_windows(data.data().view) && (measures_unseen_ || !holds_most_);
    if (leaves_out_) train_ = rest;
  }
  replay(counts, kept, seed);
}

void OldClasses::replay(std::span<const std::uint64_t> counts, const KeptExamples& kept,
                        std::uint64_t seed) {
  const Dataset data = train_;
  const DatasetView& view = data.data().view;
  const DatasetView rows = kept.view(view.dimension());
  auto left_out = std::make_shared<JoinedRows>(view.is_dense(), view.dimension());
  std::vector<std::uint32_t> replayed;
  std::vector<double> replayed_of(counts.size(), 0.0);
  double stands_for = 0.0;
  for (std::uint32_t i = 0; i < kept.unseen; ++i) {
    if (is_held_[rows.label(i)]) left_out->add(rows, i);
  }
  const std::size_t every = std::max(kOneKeptIn, rows.size() / kMostMeasured);
  for (auto i = static_cast<std::uint32_t>(kept.unseen); i < rows.size(); ++i) {
    const ClassId label = rows.label(i);
    if (!is_held_[label]) continue;
    if (!measures_unseen_ && i % every == 0) {
      left_out->add(rows, i);
      if (!holds_most_) continue;
    }
    if (replayed_of[label]++ == 0.0) stands_for += static_cast<double>(counts[label]);
    replayed.push_back(i);
  }
  if (!left_out->labels.empty()) old_ = dataset_of(data, std::move(left_out));
  if (replayed.empty() || wants_windows(view)) return;

  // Each once, if that does not make a few examples a long training.
  const std::size_t most =
      std::max(view.size(), std::min(replayed.size(), kMostTimesData * view.size()));
  const double share = std::min(1.0, static_cast<double>(most) / stands_for);
  auto joined = std::make_shared<JoinedRows>(view.is_dense(), view.dimension());
  for (std::size_t i = 0; i < view.size(); ++i) joined->add(view, i, view.weight(i));
  double due = CounterRandom(seed, RandomPurpose::kExamples).uniform(0, 0);
  for (const std::uint32_t i : replayed) {
    const ClassId label = rows.label(i);
    due += share * static_cast<double>(counts[label]) / replayed_of[label];
    for (; due >= 1.0; due -= 1.0) joined->add(rows, i);
  }
  train_ = dataset_of(data, std::move(joined));
}

const DatasetView* OldClasses::unseen() const {
  return leaves_out_ ? &new_.data().view : nullptr;
}

double OldClasses::measure(const ModelData& model, ThreadPool& pool) const {
  return old_ ? accuracy_on(*old_, model, model.weights, pool) : 0.0;
}

std::optional<OldClassReport> OldClasses::settle(const ModelData& model, const TrainState& start,
                                                 WeightTables& weights, ThreadPool& pool) const {
  Mixture mixture(model, start.before, weights, is_held_, is_new_);
  const auto try_out = [&](float share, std::size_t penalty) {
    mixture.set(share, kPenalties[penalty]);
    const WeightViews mixed = views_of(weights);
    return Choice{share, penalty, old_ ? accuracy_on(*old_, model, mixed, pool) : 0.0,
                  accuracy_on(new_, model, mixed, pool)};
  };
  Choice best = try_out(1.0F, 0);
  if (!old_) {
    best = most_careful(best, try_out);
  } else if (best.of_old < start.accuracy_before && (measures_unseen_ || !holds_most_)) {
    best = best_for_both(best, holds_most_, try_out);
  }
  mixture.set(best.share, kPenalties[best.penalty]);
  if (!old_) return std::nullopt;
  return OldClassReport{old_->size(), start.accuracy_before, best.of_old};
}

}  // namespace cane
