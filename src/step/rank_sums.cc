#include "step/rank_sums.h"

#include <algorithm>
#include <bit>

#include "step/batch_list.h"

namespace cane {
namespace {

// The sum of so many sums, a power of two, which is left in the first of them.
void add_pairs(float* sums, std::size_t number, std::size_t count) {
  for (std::size_t half = 1; half < number; half *= 2) {
    for (std::size_t at = 0; at < number; at += 2 * half) {
      const float* const from = sums + (at + half) * count;
      for (std::size_t i = 0; i < count; ++i) sums[at * count + i] += from[i];
    }
  }
}

}  // namespace

RankSums::RankSums(const ClassPart& part, Communicator& ranks, std::size_t examples)
    : ranks_(ranks),
      examples_(examples),
      shards_(part.shards().count()),
      own_(part.own().count()),
      message_(size_of(own_)) {}

void RankSums::set_empty(const ColumnSums& sums) const {
  std::fill_n(sums.largest, examples_, BatchList::kDead);
  std::fill_n(sums.sums, examples_, 0.0F);
  std::fill_n(sums.squares, examples_, 0.0F);
}

bool RankSums::exchange(std::span<float> label_scores, bool wants_stop) {
  std::ranges::copy(label_scores, message_.end() - 1 - static_cast<std::ptrdiff_t>(examples_));
  message_.back() = wants_stop ? 1.0F : 0.0F;
  messages_ = ranks_.all_gather_values(std::span<const float>(message_));
  std::ranges::fill(label_scores, 0.0F);
  all_.resize(shards_ + static_cast<std::size_t>(ranks_.ranks()));
  bool stops = false;
  std::uint32_t shard = 0;
  std::size_t next = 0;
  for (int rank = 0; rank < ranks_.ranks(); ++rank) {
    const std::uint32_t count = shards_of_rank(shards_, rank, ranks_.ranks()).count();
    if (next + size_of(count) > messages_.size()) throw_misunderstood();
    float* const message = messages_.data() + next;
    for (std::uint32_t i = 0; i < count; ++i) all_[shard++] = at(message, i);
    all_[shards_ + static_cast<std::size_t>(rank)] = at(message, count);
    const float* const labels = at(message, count + 1).largest;
    for (std::size_t e = 0; e < examples_; ++e) label_scores[e] += labels[e];
    stops = stops || labels[examples_] != 0.0F;
    next += size_of(count);
  }
  return stops;
}

std::vector<float> add_up_shards(const ClassPart& part, Communicator& ranks, std::size_t count,
                                 std::span<float> values) {
  if (std::has_single_bit(static_cast<unsigned>(ranks.ranks()))) {
    add_pairs(values.data(), part.own().count(), count);
    values = values.first(count);
  }
  std::vector<float> sums = ranks.all_gather_values(std::span<const float>(values));
  if (sums.size() % count != 0 || !std::has_single_bit(sums.size() / count)) throw_misunderstood();
  add_pairs(sums.data(), sums.size() / count, count);
  sums.resize(count);
  return sums;
}

}  // namespace cane
