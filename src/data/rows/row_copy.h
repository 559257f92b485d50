// Copies of some rows of mapped data. Reading rows here and there in a mapped file brings pages
// around them along, up to whole megabytes each: soon all of the file is in memory. Copying what is
// needed front to back, and letting go of the pages at once, bounds the memory on every system.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"

namespace cane {

struct ExampleRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class RowCopy {
 public:
  /// `data` must outlive it.
  explicit RowCopy(const DatasetView& data);

  /// All examples of the data under their own numbers; only rows that the last take() copied may be
  /// read. The view stays where it is.
  const DatasetView& view() const { return view_; }

  /// Copies the rows of these examples over those of before. Nobody may read meanwhile.
  void take(std::span<const ExampleRange> ranges, ThreadPool& pool);

 private:
  struct Place {
    std::uint64_t row;
    std::uint64_t value;
  };

  void make_room(Place end);
  void copy(const ExampleRange& range, Place place);

  const DatasetView& data_;
  DatasetView view_;
  std::vector<std::uint64_t> row_of_;  // example -> row here
  std::vector<Place> places_;          // where each range begins, and the end
  Buffer<std::uint64_t> offsets_;
  Buffer<FeatureId> indices_;
  Buffer<float> values_;
  Buffer<std::byte> matrix_;
};

}  // namespace cane
