// The order of the examples in an epoch: a permutation that is a pure function of seed, epoch and
// the shape of the data. Data of one window or less is shuffled as a whole. Larger data is shuffled
// in two steps, so that a file is read in long stretches and little of it has to be in memory:
// blocks of consecutive rows in random order, then the rows within windows of many blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "data/rows/row_copy.h"

namespace cane {

/// A shuffle of all examples.
void shuffle_examples(std::uint64_t seed, std::uint32_t epoch, std::vector<std::uint32_t>& order);

struct ShuffleLimits {
  std::uint64_t window_bytes = std::uint64_t{128} << 20;
  std::uint64_t block_bytes = std::uint64_t{512} << 10;
};

/// Whether examples of a class lie together far more often than chance would have it, in data too
/// large for one window: then a window has some classes and lacks others.
bool is_sorted_by_class(const DatasetView& data, std::span<const std::uint64_t> class_counts,
                        const ShuffleLimits& limits = {});

/// Whether rows are to be copied window by window: data in a mapped file, of several windows, and
/// better not in memory as a whole.
bool wants_windows(const DatasetView& data, const ShuffleLimits& limits = {});

class Shuffle {
 public:
  /// `data` must outlive it. So must `window`, which gets the rows of the window at hand and of the
  /// first `more_rows` after it: a batch may begin in one window and end in the next.
  explicit Shuffle(const DatasetView& data, const ShuffleLimits& limits = {},
                   RowCopy* window = nullptr, std::size_t more_rows = 0);

  void start_epoch(std::uint64_t seed, std::uint32_t epoch);

  std::size_t size() const { return order_.size(); }
  std::span<const std::uint32_t> order() const { return order_; }
  bool has_windows() const { return blocks_.size() > blocks_per_window_; }
  /// Where the stretch that holds this position of the order ends: a part of a window.
  std::size_t stretch_end(std::size_t position) const;
  /// Copies, if the data is mapped and large, the rows of a window that begins here, and tells the
  /// system to read what comes next. To be called at the begin of each stretch, in order, from any
  /// one, while nobody reads rows.
  void enter_stretch(std::size_t position, ThreadPool& pool);

 private:
  std::size_t window_of(std::size_t position) const;
  std::span<const std::uint32_t> window_blocks(std::size_t window) const;
  void fetch(std::span<const std::uint32_t> blocks) const;

  void copy(std::size_t window, ThreadPool& pool);

  const DatasetView& data_;
  RowCopy* copy_;
  std::size_t more_rows_;
  std::size_t rows_per_block_;
  std::size_t blocks_per_window_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> blocks_;       // in their order in this epoch
  std::vector<std::size_t> window_begins_;  // positions, and the end
  std::optional<std::size_t> window_now_;   // none at the begin of an epoch
};

}  // namespace cane
