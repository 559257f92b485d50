// Gathers the rows of some examples, converted if necessary, and expanded if dense rows are
// requested. Rows that need no conversion are not copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/dataset_view.h"

namespace cane {

class RowGather {
 public:
  /// The result is valid until the next call, and as long as the data lives.
  template <typename Index>
  std::span<const RowView> gather(const DatasetView& data, std::span<const Index> examples,
                                  bool want_dense = false) {
    const std::size_t scratch = data.is_dense() || want_dense ? data.dimension() : 0;
    if (scratch_.size() < scratch * examples.size()) scratch_.resize(scratch * examples.size());
    rows_.clear();
    // The examples of a batch are scattered in memory: prefetch all of them in parallel.
    for (const int part : {0, 1}) {
      for (const Index example : examples) data.prefetch(example, part);
    }
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto own = std::span(scratch_).subspan(i * scratch, scratch);
      const RowView row = data.row(examples[i], own);
      rows_.push_back(want_dense && row.indices != nullptr ? spread(row, own) : row);
    }
    return rows_;
  }

  /// Gathers scattered rows; if dense rows are requested, they are expanded to `dimension` values.
  template <typename WantsDense>
  std::span<const RowView> gather(std::span<const RowView> rows, FeatureId dimension,
                                  const WantsDense& wants_dense) {
    rows_.assign(rows.begin(), rows.end());
    const auto num_dense =
        static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), wants_dense));
    if (scratch_.size() < num_dense * dimension) scratch_.resize(num_dense * dimension);
    std::size_t used = 0;
    for (RowView& row : rows_) {
      if (!wants_dense(row)) continue;
      row = spread(row, std::span(scratch_).subspan(used, dimension));
      used += dimension;
    }
    return rows_;
  }

  std::span<const RowView> rows() const { return rows_; }

 private:
  static RowView spread(const RowView& row, std::span<float> dense) {
    std::fill(dense.begin(), dense.end(), 0.0F);
    for (std::uint32_t p = 0; p < row.count; ++p) dense[row.indices[p]] = row.values[p];
    return {nullptr, dense.data(), static_cast<std::uint32_t>(dense.size())};
  }

  std::vector<RowView> rows_;
  std::vector<float> scratch_;
};

}  // namespace cane
