// A proposal p'(k given x) over classes in blocks: the mass of each block, and scores that share it
// out among the block's members. In a low-rank model the mass of a block is the sum over its
// members; in a model of two levels it is a softmax over the blocks. Noises are drawn from p'
// outside the candidates with their exact log-probability: a block by its mass without the
// candidates, then a member that is none, the one with the largest sum of its score and a Gumbel
// number of its own, which is the same for any number of lanes. Host and device; lanes as in
// objective/lanes.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/objective/lanes.h"
#include "kernels/plain/law.h"

namespace cane::kernels {

struct ProposalView {
  std::int64_t examples = 0;
  std::int64_t width = 0;
  std::int64_t classes = 0;
  std::int64_t block = 1;                // members of a block; the last may have fewer
  const float* features = nullptr;       // [examples, width]
  const float* rows = nullptr;           // [classes, width]
  const float* bias = nullptr;           // [classes]
  const std::int32_t* order = nullptr;   // the class at each place of the blocks; null: its number
  const std::int32_t* places = nullptr;  // the inverse; null if order is

  CANE_HOST_DEVICE std::int64_t blocks() const { return (classes + block - 1) / block; }
  CANE_HOST_DEVICE std::int64_t end_of(std::int64_t of) const {
    return (of + 1) * block < classes ? (of + 1) * block : classes;
  }
  CANE_HOST_DEVICE std::int32_t class_at(std::int64_t place) const {
    return order == nullptr ? static_cast<std::int32_t>(place) : order[place];
  }
  CANE_HOST_DEVICE std::int64_t block_of(std::int32_t id) const {
    return (places == nullptr ? id : places[id]) / block;
  }
  CANE_HOST_DEVICE float score(std::int64_t example, std::int32_t id) const {
    const float* x = features + example * width;
    const float* row = rows + id * width;
    float sum = 0.0F;
#ifdef _OPENMP
#pragma omp simd reduction(+ : sum)
#endif
    for (std::int64_t i = 0; i < width; ++i) sum += x[i] * row[i];
    return sum + bias[id];
  }
};

/// The log of a sum of exponentials, one at a time.
struct LogSum {
  float high = -std::numeric_limits<float>::infinity();
  float sum = 0.0F;

  CANE_HOST_DEVICE void add(float value) {
    if (value == -std::numeric_limits<float>::infinity()) return;
    if (value > high) {
      sum = sum * std::exp(high - value) + 1.0F;
      high = value;
    } else {
      sum += std::exp(value - high);
    }
  }
  CANE_HOST_DEVICE float value() const { return high + std::log(sum); }

  /// The sum over all lanes.
  template <typename Lanes>
  CANE_HOST_DEVICE LogSum over(const Lanes& lanes) const {
    LogSum all;
    all.high = lanes.max(high);
    const bool is_empty = high == -std::numeric_limits<float>::infinity();
    all.sum = lanes.sum(is_empty ? 0.0F : sum * std::exp(high - all.high));
    return all;
  }
};

struct BlockArguments {
  ProposalView proposal;
  float* high = nullptr;      // [blocks, examples] the largest score of each block
  float* log_mass = nullptr;  // [blocks, examples] the log-sum-exp of its scores
};

CANE_HOST_DEVICE inline void sum_block(const BlockArguments& task, std::int64_t block,
                                       std::int64_t example) {
  const ProposalView& proposal = task.proposal;
  LogSum sum;
  for (std::int64_t place = block * proposal.block; place < proposal.end_of(block); ++place) {
    sum.add(proposal.score(example, proposal.class_at(place)));
  }
  task.high[block * proposal.examples + example] = sum.high;
  task.log_mass[block * proposal.examples + example] = sum.value();
}

/// The candidates of each example, distinct, kNoClass in unused places.
struct CandidateRows {
  std::int64_t count = 0;
  const std::int32_t* classes = nullptr;  // [examples, count]

  CANE_HOST_DEVICE bool holds(std::int64_t example, std::int32_t id) const {
    const std::int32_t* own = classes + example * count;
    bool found = false;
    for (std::int64_t i = 0; i < count; ++i) found = found || own[i] == id;
    return found;
  }
};

struct OutsideArguments {
  ProposalView proposal;
  CandidateRows candidates;
  bool conditional = false;   // the mass of a block is not the sum over its scores
  float* log_mass = nullptr;  // [examples, blocks]; on return without the candidates
};

/// Leaves the candidates out of the block that holds the candidate at `place`, unless that is the
/// task of an earlier candidate. The sum over the others is taken afresh: what is left of a
/// difference may be rounding alone.
template <typename Lanes>
CANE_HOST_DEVICE void leave_out(const OutsideArguments& task, std::int64_t example,
                                std::int64_t place, const Lanes& lanes) {
  const ProposalView& proposal = task.proposal;
  const std::int32_t* own = task.candidates.classes + example * task.candidates.count;
  if (own[place] == kNoClass) return;
  const std::int64_t block = proposal.block_of(own[place]);
  for (std::int64_t i = 0; i < place; ++i) {
    if (own[i] != kNoClass && proposal.block_of(own[i]) == block) return;
  }
  LogSum all;
  LogSum outside;
  const std::int64_t begin = block * proposal.block;
  const auto members = static_cast<std::uint32_t>(proposal.end_of(block) - begin);
  for (std::uint32_t member = lanes.from(0); member < members; member += lanes.stride()) {
    const std::int32_t id = proposal.class_at(begin + member);
    const float score = proposal.score(example, id);
    all.add(score);
    if (!task.candidates.holds(example, id)) outside.add(score);
  }
  all = all.over(lanes);
  outside = outside.over(lanes);
  if (!lanes.owns(0)) return;
  float& mass = task.log_mass[example * proposal.blocks() + block];
  mass = task.conditional ? mass - all.value() + outside.value() : outside.value();
}

struct ProposalNoiseArguments {
  ProposalView proposal;
  CandidateRows candidates;
  const float* outside = nullptr;        // [examples, blocks] log-mass without the candidates
  const float* cumulative = nullptr;     // [examples, blocks] sums of the shares of the blocks
  const float* log_total = nullptr;      // [examples] log-sum-exp of `outside`, and of other ranks'
  const float* before = nullptr;         // [examples] share of the ranks before; null: no ranks
  const float* whole = nullptr;          // [examples] share of all ranks; null likewise
  const std::int64_t* target = nullptr;  // [examples] a class, or negative
  std::int64_t noises = 0;
  std::uint64_t seed = 0;
  const std::int64_t* step = nullptr;  // one value, on the device
  std::int32_t* classes = nullptr;     // [examples, noises] out
  float* log_q = nullptr;              // [examples, 1 + noises] out: label, noises
};

/// The block whose share of [0, 1) holds `share`.
CANE_HOST_DEVICE inline std::int64_t block_at(const float* cumulative, std::int64_t blocks,
                                              float share) {
  std::int64_t low = 0;
  std::int64_t high = blocks - 1;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (cumulative[middle] > share) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// A standard Gumbel number for a member of the block that a draw has come to. Large numbers, which
/// win, come from small uniform ones, where float is fine.
CANE_HOST_DEVICE inline float gumbel(const CounterRandom& random, std::uint64_t key,
                                     std::uint32_t draw) {
  const float uniform = (static_cast<float>(random.words(key, draw)[0]) + 0.5F) * 0x1.0p-32F;
  return -std::log(-std::log1p(-uniform));
}

/// Position 0 is the label, which gets its log q alone; the others draw a noise. Infinity: none.
template <typename Lanes>
CANE_HOST_DEVICE void draw_outside(const ProposalNoiseArguments& task, std::int64_t example,
                                   std::int64_t position, const Lanes& lanes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const ProposalView& proposal = task.proposal;
  const std::int64_t blocks = proposal.blocks();
  const float* outside = task.outside + example * blocks;
  const float log_total = task.log_total[example];
  const std::int64_t target = task.target[example];
  const auto label = static_cast<std::int32_t>(target);
  const bool is_label = position == 0;
  float* const log_q = task.log_q + example * (1 + task.noises) + position;
  std::int32_t* const drawn =
      is_label ? nullptr : task.classes + example * task.noises + position - 1;
  const bool is_nothing_outside = !(log_total > -kInfinity) || target < kNoClass;
  if (is_nothing_outside ||
      (is_label && (label == kNoClass || task.candidates.holds(example, label)))) {
    if (lanes.owns(0)) *log_q = kInfinity;
    if (lanes.owns(0) && !is_label) *drawn = kNoClass;
    return;
  }
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  const std::uint64_t key = draw_key(*task.step, static_cast<std::uint64_t>(example));
  const auto first_draw = static_cast<std::uint32_t>(position * (1 + proposal.block));
  const float* cumulative = task.cumulative + example * blocks;
  const float whole = task.whole == nullptr ? cumulative[blocks - 1] : task.whole[example];
  const float share = static_cast<float>(random.uniform(key, first_draw)) * whole -
                      (task.before == nullptr ? 0.0F : task.before[example]);
  const bool is_elsewhere =
      task.whole != nullptr && !is_label && (share < 0.0F || share >= cumulative[blocks - 1]);
  if (is_elsewhere) {
    if (lanes.owns(0)) *log_q = kInfinity;
    if (lanes.owns(0)) *drawn = kNoClass;
    return;
  }
  const std::int64_t block =
      is_label ? proposal.block_of(label) : block_at(cumulative, blocks, share);
  LogSum sum;
  float best = -kInfinity;
  float best_score = 0.0F;
  std::uint32_t best_member = 0;  // from 1
  const std::int64_t begin = block * proposal.block;
  const auto members = static_cast<std::uint32_t>(proposal.end_of(block) - begin);
  for (std::uint32_t member = lanes.from(0); member < members; member += lanes.stride()) {
    const std::int32_t id = proposal.class_at(begin + member);
    if (task.candidates.holds(example, id)) continue;
    const float score = proposal.score(example, id);
    sum.add(score);
    const float value = is_label ? (id == label ? 0.0F : -kInfinity)
                                 : score + gumbel(random, key, first_draw + 1 + member);
    if (value > best) {
      best = value;
      best_score = score;
      best_member = member + 1;
    }
  }
  sum = sum.over(lanes);
  const float high = lanes.max(best);
  // A block without members outside has none.
  const bool is_best = best == high && best_member > 0;
  const std::uint32_t chosen = lanes.max(is_best ? best_member : 0U);
  if (chosen == 0) {
    if (lanes.owns(0)) *log_q = kInfinity;
    if (lanes.owns(0) && !is_label) *drawn = kNoClass;
  } else if (is_best && best_member == chosen) {
    *log_q = outside[block] - log_total + best_score - sum.value();
    if (!is_label) *drawn = proposal.class_at(begin + chosen - 1);
  }
}

}  // namespace cane::kernels
