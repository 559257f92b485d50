// The arrays behind a DatasetView, wherever they lie: in memory after parsing, in a mapped cache
// later.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/types.h"
#include "data/rows/dataset_view.h"

namespace cane {

struct Columns {
  bool dense = false;
  bool mapped = false;  // all of it lies in a mapped file
  FeatureId dimension = 0;
  std::span<const std::uint64_t> offsets;  // sparse: examples + 1
  std::span<const FeatureId> indices;      // sparse
  std::span<const float> values;           // dense: examples x dimension
  std::span<const ClassId> classes;        // examples
  std::span<const float> weights;          // examples, or none: all are one

  DatasetView view() const {
    if (!dense) {
      return DatasetView(DatasetView::Sparse{offsets, indices.data(), values.data(), {}, mapped},
                         dimension, classes, weights);
    }
    DatasetView::Dense matrix;
    matrix.matrix = std::as_bytes(values).data();
    matrix.mapped = mapped;
    return DatasetView(matrix, dimension, classes, weights);
  }
};

}  // namespace cane
