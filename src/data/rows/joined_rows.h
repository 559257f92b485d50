// Examples of several views in memory of their own, all sparse or all dense.
#pragma once

#include <cstdint>
#include <vector>

#include "data/rows/dataset_view.h"

namespace cane {

struct JoinedRows {
  JoinedRows(bool as_dense, FeatureId width) : is_dense(as_dense), dimension(width) {}

  /// Copies an example; zeros of a dense row are left out of a sparse one.
  void add(const DatasetView& data, std::size_t example, float weight = 1.0F);
  /// Valid until the next one is added.
  DatasetView view() const;

  bool is_dense;
  FeatureId dimension;
  std::vector<std::uint64_t> offsets = {0};  // ends of the rows, after a 0
  std::vector<FeatureId> indices;            // of sparse rows
  std::vector<float> values;
  std::vector<ClassId> labels;
  std::vector<float> weights;

 private:
  std::vector<float> scratch_;
};

}  // namespace cane
