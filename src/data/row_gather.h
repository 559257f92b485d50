// The rows of some examples side by side, converted where they have to be. Rows that need no
// conversion are not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset_view.h"

namespace cane {

class RowGather {
 public:
  /// Valid until the next call, and as long as the data lives.
  template <typename Index>
  std::span<const RowView> gather(const DatasetView& data, std::span<const Index> examples) {
    const std::size_t scratch = data.is_dense() ? data.dimension() : 0;
    if (scratch_.size() < scratch * examples.size()) scratch_.resize(scratch * examples.size());
    rows_.clear();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      rows_.push_back(data.row(examples[i], std::span(scratch_).subspan(i * scratch, scratch)));
    }
    return rows_;
  }

  std::span<const RowView> rows() const { return rows_; }

 private:
  std::vector<RowView> rows_;
  std::vector<float> scratch_;
};

}  // namespace cane
