#include "train/shuffle.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/memory.h"
#include "core/base/random.h"

namespace cane {
namespace {

// Kinds of draws within RandomPurpose for shuffling.
constexpr std::uint32_t kRowDraw = 0;
constexpr std::uint32_t kBlockDraw = 1;
// Read-ahead steps per window.
constexpr std::size_t kStretches = 16;

// Fisher-Yates: swaps the element at i - 1 with one below i, drawn with the counter `i + shift`.
void shuffle_span(std::span<std::uint32_t> values, const CounterRandom& random, std::size_t shift,
                  std::uint32_t draw) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(i, i + shift, draw)]);
  }
}

}  // namespace

void shuffle_examples(std::uint64_t seed, std::uint32_t epoch, std::vector<std::uint32_t>& order) {
  const CounterRandom random(seed, RandomPurpose::kShuffle, epoch);
  std::iota(order.begin(), order.end(), 0U);
  shuffle_span(order, random, 0, kRowDraw);
}

bool is_sorted_by_class(const DatasetView& data, std::span<const std::uint64_t> class_counts,
                        const ShuffleLimits& limits) {
  if (data.stored_bytes() <= limits.window_bytes || data.size() < 2) return false;
  double by_chance = 0.0;
  for (const std::uint64_t count : class_counts) {
    const double share = static_cast<double>(count) / static_cast<double>(data.size());
    by_chance += share * share;
  }
  std::size_t equal_neighbours = 0;
  for (std::size_t i = 1; i < data.size(); ++i) {
    equal_neighbours += data.label(i) == data.label(i - 1) ? 1 : 0;
  }
  const double observed =
      static_cast<double>(equal_neighbours) / static_cast<double>(data.size() - 1);
  return observed > 0.5 * (1.0 + by_chance);
}

bool wants_windows(const DatasetView& data, const ShuffleLimits& limits) {
  const std::uint64_t bytes = data.stored_bytes();
  return data.is_mapped() && bytes > limits.window_bytes && is_large(bytes);
}

Shuffle::Shuffle(const DatasetView& data, const ShuffleLimits& limits, RowCopy* window,
                 std::size_t more_rows)
    : data_(data), copy_(window), more_rows_(more_rows), order_(data.size()) {
  const std::uint64_t bytes = std::max<std::uint64_t>(data.stored_bytes(), 1);
  const std::uint64_t rows = std::max<std::uint64_t>(data.size(), 1);
  rows_per_block_ = std::max<std::uint64_t>(limits.block_bytes * rows / bytes, 1);
  blocks_per_window_ = std::max<std::uint64_t>(limits.window_bytes / limits.block_bytes, 1);
  const bool one_window = bytes <= limits.window_bytes;
  if (one_window) blocks_per_window_ = (rows + rows_per_block_ - 1) / rows_per_block_;
  blocks_.resize((data.size() + rows_per_block_ - 1) / rows_per_block_);
}

void Shuffle::start_epoch(std::uint64_t seed, std::uint32_t epoch) {
  window_now_.reset();
  std::iota(blocks_.begin(), blocks_.end(), 0U);
  if (!has_windows()) {
    window_begins_ = {0, order_.size()};
    shuffle_examples(seed, epoch, order_);
    return;
  }
  const CounterRandom random(seed, RandomPurpose::kShuffle, epoch);
  shuffle_span(blocks_, random, 0, kBlockDraw);
  window_begins_.clear();
  std::size_t end = 0;
  for (std::size_t first = 0; first < blocks_.size(); first += blocks_per_window_) {
    const std::size_t begin = end;
    window_begins_.push_back(begin);
    for (const std::uint32_t block : window_blocks(window_begins_.size() - 1)) {
      const std::size_t row = block * rows_per_block_;
      const std::size_t count = std::min(rows_per_block_, order_.size() - row);
      std::iota(order_.begin() + static_cast<std::ptrdiff_t>(end),
                order_.begin() + static_cast<std::ptrdiff_t>(end + count),
                static_cast<std::uint32_t>(row));
      end += count;
    }
    shuffle_span(std::span(order_).subspan(begin, end - begin), random, begin, kRowDraw);
  }
  window_begins_.push_back(end);
}

std::size_t Shuffle::window_of(std::size_t position) const {
  const auto after = std::upper_bound(window_begins_.begin(), window_begins_.end() - 1, position);
  return static_cast<std::size_t>(after - window_begins_.begin()) - 1;
}

std::span<const std::uint32_t> Shuffle::window_blocks(std::size_t window) const {
  const std::size_t begin = std::min(window * blocks_per_window_, blocks_.size());
  return std::span(blocks_).subspan(begin, std::min(blocks_per_window_, blocks_.size() - begin));
}

std::size_t Shuffle::stretch_end(std::size_t position) const {
  if (copy_ == nullptr) return order_.size();
  const std::size_t window = window_of(position);
  const std::size_t begin = window_begins_[window];
  const std::size_t end = window_begins_[window + 1];
  const std::size_t length = std::max<std::size_t>((end - begin) / kStretches, 1);
  const std::size_t next = begin + ((position - begin) / length + 1) * length;
  return next + length > end ? end : next;
}

void Shuffle::enter_stretch(std::size_t position, ThreadPool& pool) {
  if (copy_ == nullptr || position >= order_.size()) return;
  const std::size_t window = window_of(position);
  if (window_now_ != window) copy(window, pool);
  window_now_ = window;
  // As much of the next window as is over of this one at the end of the stretch.
  const auto next = window_blocks(window + 1);
  const std::size_t length = window_begins_[window + 1] - window_begins_[window];
  const auto ahead = [&](std::size_t at) {
    return next.size() * (at - window_begins_[window]) / length;
  };
  const std::size_t begin = ahead(position);
  fetch(next.subspan(begin, ahead(stretch_end(position)) - begin));
}

void Shuffle::copy(std::size_t window, ThreadPool& pool) {
  std::vector<ExampleRange> ranges;
  for (const std::uint32_t block : window_blocks(window)) {
    const std::size_t begin = block * rows_per_block_;
    ranges.push_back({begin, std::min(begin + rows_per_block_, order_.size())});
  }
  const std::size_t end = window_begins_[window + 1];
  for (std::size_t i = end; i < std::min(end + more_rows_, order_.size()); ++i) {
    ranges.push_back({order_[i], order_[i] + std::size_t{1}});
  }
  copy_->take(ranges, pool);
}

void Shuffle::fetch(std::span<const std::uint32_t> blocks) const {
  for (const std::uint32_t block : blocks) {
    const std::size_t begin = block * rows_per_block_;
    data_.fetch_rows(begin, std::min(begin + rows_per_block_, data_.size()));
  }
}

}  // namespace cane
