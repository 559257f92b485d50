// Copies of selected rows of mapped data. Random access to a mapped file also loads the surrounding
// pages, up to whole megabytes each, until all of the file is in memory. Copying the required rows
// front to back, and dropping the pages at once, bounds the memory on every system.
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
  /// `data` must outlive the object.
  explicit RowCopy(const DatasetView& data);

  /// A view of all examples under their original numbers; only rows copied by the last take() may
  /// be read. The address of the view is stable.
  const DatasetView& view() const { return view_; }

  /// Copies the rows of these examples, replacing the previous ones. No thread may read meanwhile.
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
  std::vector<std::uint64_t> row_of_;  // example -> row of the copy
  std::vector<Place> places_;          // start of each range, and the end
  Buffer<std::uint64_t> offsets_;
  Buffer<FeatureId> indices_;
  Buffer<float> values_;
  Buffer<std::byte> matrix_;
};

}  // namespace cane
