#include "train/executors/softmax_team.h"

#include <algorithm>
#include <cmath>

#include "core/base/spinning.h"
#include "core/simd/row_product.h"
#include "data/rows/row_gather.h"
#include "linear/scorers/flat_scorer.h"

namespace cane {
namespace {

// Classes whose maxima and sums are taken together: few enough to divide them evenly among threads,
// enough for the products.
constexpr std::uint32_t kShare = 32;

std::size_t rounded_up(std::size_t count) {
  return (count + kColumnMultiple - 1) / kColumnMultiple * kColumnMultiple;
}

// b = transpose of a, with zeros in the columns beyond the rows of a.
void transpose(ConstMatrix a, std::size_t rows, std::size_t width, Matrix b, std::size_t columns) {
  for (std::size_t begin = 0; begin < columns; begin += kColumnMultiple) {
    const std::size_t end = std::min(begin + kColumnMultiple, std::max(rows, begin));
    for (std::size_t i = 0; i < width; ++i) {
      float* to = b.data + i * b.pitch + begin;
      for (std::size_t e = begin; e < end; ++e) *to++ = a.data[e * a.pitch + i];
      std::fill(to, b.data + i * b.pitch + begin + kColumnMultiple, 0.0F);
    }
  }
}

}  // namespace

// One of the threads, and its classes.
class SoftmaxTeam::Member {
 public:
  Member(SoftmaxTeam& team, const Calls& calls, std::size_t index, std::size_t members)
      : team_(team),
        calls_(calls),
        index_(index),
        members_(members),
        first_share_(index * shares() / members),
        end_share_((index + 1) * shares() / members),
        first_class_(static_cast<std::uint32_t>(first_share_) * kShare),
        classes_(
            std::min(static_cast<std::uint32_t>(end_share_) * kShare, team.layout_.node_bound()) -
            first_class_),
        transposed_(team.layout_.pitch() * team.columns_),
        scores_(std::size_t{classes_} * team.columns_),
        sums_(3 * team.columns_),
        factors_(team.columns_) {
    joined_ = {sums_.data(), sums_.data() + team.columns_, sums_.data() + 2 * team.columns_};
  }

  void run(std::uint64_t first, std::uint64_t end, SpinBarrier& barrier) {
    fill(first);
    barrier.wait();
    for (std::uint64_t batch = first; batch < end; ++batch) {
      score(batch);
      if (batch + 1 < end) fill(batch + 1);
      if (index_ == 0) {
        team_.slot(batch).is_last = !calls_.go_on() || team_.failed_ || batch + 1 == end;
      }
      barrier.wait();
      learn(batch);
      if (team_.slot(batch).is_last) return;
    }
  }

 private:
  std::size_t shares() const { return team_.slots_[0].shares.size(); }
  Matrix scores() { return {scores_.data(), team_.columns_}; }
  Matrix share_scores(std::size_t share) {
    return {scores_.data() + (share - first_share_) * kShare * team_.columns_, team_.columns_};
  }
  std::size_t share_classes(std::size_t share) const {
    return std::min<std::size_t>(kShare, team_.layout_.node_bound() - share * kShare);
  }
  float* weights() { return team_.weights_ + team_.layout_.offset(first_class_); }

  // Reads this thread's part of the examples of a batch.
  void fill(std::uint64_t batch) {
    const auto examples = calls_.batch(batch);
    const std::size_t begin = index_ * examples.size() / members_;
    const auto own = examples.subspan(begin, (index_ + 1) * examples.size() / members_ - begin);
    try {
      const Matrix inputs = team_.inputs(batch);
      fill_inputs(gather_.gather(team_.data_, own), team_.layout_.dimension(), inputs.pitch,
                  inputs.data + begin * inputs.pitch);
    } catch (...) {
      team_.fail();
    }
  }

  void score(std::uint64_t batch) {
    const auto examples = calls_.batch(batch);
    const std::size_t columns = rounded_up(examples.size());
    const Matrix inputs = team_.inputs(batch);
    const std::size_t width = std::size_t{team_.layout_.dimension()} + 1;
    const Matrix transposed = {transposed_.data(), columns};
    transpose({inputs.data, inputs.pitch}, examples.size(), width, transposed, columns);
    multiply({weights(), team_.layout_.pitch()}, {transposed.data, transposed.pitch}, scores(),
             classes_, width, columns);
    Slot& slot = team_.slot(batch);
    for_own_labels(examples, [&](std::size_t e, std::size_t at) {
      slot.label_scores.data()[e] = scores_.data()[at];
    });
    for (std::size_t share = first_share_; share < end_share_; ++share) {
      exponentiate_columns(share_scores(share), share_classes(share), columns, slot.shares[share]);
    }
  }

  void learn(std::uint64_t batch) {
    const auto examples = calls_.batch(batch);
    const std::size_t columns = rounded_up(examples.size());
    const Slot& slot = team_.slot(batch);
    const float rate = calls_.rate(batch);
    join_columns(slot.shares, columns, joined_);
    weigh(batch, rate);
    for (std::size_t share = first_share_; share < end_share_; ++share) {
      scale_columns(share_scores(share), share_classes(share), columns, slot.shares[share].largest,
                    joined_.largest, factors_.data());
    }
    // A factor is minus the step of an example over its sum.
    for_own_labels(examples, [&](std::size_t e, std::size_t at) {
      scores_.data()[at] -= factors_.data()[e] * joined_.sums[e];
    });
    const std::size_t pitch = team_.layout_.pitch();
    if (team_.rules_.l2 > 0.0F) {
      const float factor =
          std::pow(1.0F - rate * team_.rules_.l2, static_cast<float>(examples.size()));
      for (std::size_t i = 0; i < classes_ * pitch; ++i) weights()[i] *= factor;
    }
    const Matrix inputs = team_.inputs(batch);
    multiply_and_add({scores_.data(), team_.columns_}, {inputs.data, inputs.pitch},
                     {weights(), pitch}, classes_, examples.size(), pitch);
    if (index_ == 0) report(examples, slot);
  }

  // Fills factors_: what the exponentials of an example are multiplied by.
  void weigh(std::uint64_t batch, float rate) {
    const auto examples = calls_.batch(batch);
    const Slot& slot = team_.slot(batch);
    const Matrix inputs = team_.inputs(batch);
    std::fill(factors_.data(), factors_.data() + factors_.size(), 0.0F);
    for (std::size_t e = 0; e < examples.size(); ++e) {
      float weight = team_.data_.weight(examples[e]);
      if (team_.rules_.clip > 0.0F) {
        const float sum = joined_.sums[e];
        const float label = std::exp(slot.label_scores.data()[e] - joined_.largest[e]) / sum;
        const float scores = joined_.squares[e] / (sum * sum) - 2.0F * label + 1.0F;
        const float* row = inputs.data + e * inputs.pitch;
        float features = 0.0F;
        for (std::size_t i = 0; i <= team_.layout_.dimension(); ++i) features += row[i] * row[i];
        const float length = weight * std::sqrt(std::max(scores, 0.0F) * features);
        if (length > team_.rules_.clip) weight *= team_.rules_.clip / length;
      }
      factors_.data()[e] = -rate * weight / joined_.sums[e];
    }
  }

  void report(std::span<const std::uint32_t> examples, const Slot& slot) {
    StepStats stats;
    stats.examples = examples.size();
    stats.covered = examples.size();
    stats.rows_scored = std::uint64_t{team_.layout_.node_bound()} * examples.size();
    for (std::size_t e = 0; e < examples.size(); ++e) {
      const auto weight = static_cast<double>(team_.data_.weight(examples[e]));
      const float loss =
          std::log(joined_.sums[e]) - (slot.label_scores.data()[e] - joined_.largest[e]);
      stats.loss += weight * static_cast<double>(loss);
      stats.weight += weight;
    }
    try {
      calls_.learned(stats);
    } catch (...) {
      team_.fail();
    }
  }

  // Calls body(example, place in scores_) for each example whose label is one of the own classes.
  template <typename Body>
  void for_own_labels(std::span<const std::uint32_t> examples, const Body& body) {
    for (std::size_t e = 0; e < examples.size(); ++e) {
      const std::uint32_t own = team_.data_.label(examples[e]) - first_class_;
      if (own < classes_) body(e, own * team_.columns_ + e);
    }
  }

  SoftmaxTeam& team_;
  const Calls& calls_;
  std::size_t index_;
  std::size_t members_;
  std::size_t first_share_;
  std::size_t end_share_;
  std::uint32_t first_class_;
  std::uint32_t classes_;
  RowGather gather_;
  AlignedBuffer<float> transposed_;
  AlignedBuffer<float> scores_;  // then exponentials, then steps
  AlignedBuffer<float> sums_;
  AlignedBuffer<float> factors_;
  ColumnSums joined_;
};

SoftmaxTeam::SoftmaxTeam(const DatasetView& data, const BlockLayout& layout, const Rules& rules,
                         std::size_t batch, float* weights)
    : data_(data),
      layout_(layout),
      rules_(rules),
      columns_(rounded_up(std::min(batch, data.size()))),
      weights_(weights) {
  const std::size_t shares = (layout.node_bound() + kShare - 1) / kShare;
  for (AlignedBuffer<float>& inputs : inputs_) {
    inputs = AlignedBuffer<float>(columns_ * layout.pitch());
  }
  for (Slot& slot : slots_) {
    slot.sums = AlignedBuffer<float>(3 * shares * columns_);
    slot.label_scores = AlignedBuffer<float>(columns_);
    for (std::size_t share = 0; share < shares; ++share) {
      float* sums = slot.sums.data() + 3 * share * columns_;
      slot.shares.push_back({sums, sums + columns_, sums + 2 * columns_});
    }
  }
}

void SoftmaxTeam::fail() {
  if (!failed_.exchange(true)) failure_ = std::current_exception();
}

void SoftmaxTeam::run(std::uint64_t first, std::uint64_t end, const Calls& calls,
                      ThreadPool& pool) {
  if (first >= end) return;
  // They wait for each other all the time, so more than there are cores would only be slower.
  const auto threads = static_cast<std::size_t>(std::min(pool.threads(), available_cores()));
  const std::size_t members = std::min(threads, slots_[0].shares.size());
  SpinBarrier barrier(static_cast<int>(members));
  failed_ = false;
  failure_ = nullptr;
  // Every task waits for the others, so each is taken by another thread, and the first one by the
  // caller.
  std::vector<Member> team;
  for (std::size_t index = 0; index < members; ++index)
    team.emplace_back(*this, calls, index, members);
  pool.run(members, [&](std::size_t index, int) { team[index].run(first, end, barrier); });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace cane
