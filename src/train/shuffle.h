// The order of the examples in an epoch: a permutation that is a pure function of seed, epoch and
// the shape of the data. Data of at most one window is shuffled as a whole. Larger data is shuffled
// in two steps, so that a file is read in long stretches and little of it is in memory: blocks of
// consecutive rows in random order, then the rows within windows of many blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "data/rows/row_copy.h"

namespace cane {

/// Shuffles all examples.
void shuffle_examples(std::uint64_t seed, std::uint32_t epoch, std::vector<std::uint32_t>& order);

struct ShuffleLimits {
  std::uint64_t window_bytes = std::uint64_t{128} << 20;
  std::uint64_t block_bytes = std::uint64_t{512} << 10;
};

/// Whether examples of the same class are adjacent far more often than by chance, in data too large
/// for one window: a window then contains some classes and lacks others.
bool is_sorted_by_class(const DatasetView& data, std::span<const std::uint64_t> class_counts,
                        const ShuffleLimits& limits = {});

/// Whether rows should be copied window by window: the data is in a mapped file, spans several
/// windows, and is better not held in memory as a whole.
bool wants_windows(const DatasetView& data, const ShuffleLimits& limits = {});

class Shuffle {
 public:
  /// `data` must outlive the object, and so must `window`, which receives the rows of the current
  /// window and the first `more_rows` after it: a batch may start in one window and end in the
  /// next.
  explicit Shuffle(const DatasetView& data, const ShuffleLimits& limits = {},
                   RowCopy* window = nullptr, std::size_t more_rows = 0);

  void start_epoch(std::uint64_t seed, std::uint32_t epoch);

  std::size_t size() const { return order_.size(); }
  std::span<const std::uint32_t> order() const { return order_; }
  bool has_windows() const { return blocks_.size() > blocks_per_window_; }
  /// End of the stretch (a part of a window) that contains this position of the order.
  std::size_t stretch_end(std::size_t position) const;
  /// If the data is mapped and large, copies the rows of a window that starts here and asks the
  /// system to prefetch the next ones. Call at the start of each stretch, in order, starting with
  /// any, while no thread reads rows.
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
  std::vector<std::uint32_t> blocks_;       // in the order of this epoch
  std::vector<std::size_t> window_begins_;  // positions, and the end
  std::optional<std::size_t> window_now_;   // none at the start of an epoch
};

}  // namespace cane
