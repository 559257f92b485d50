// The lengths of rows, in a few numbers: whether data is on the scale of other data.
#pragma once

#include <vector>

#include "data/rows/dataset_view.h"

namespace cane {

/// Quantiles of the Euclidean length of rows with a feature that is not 0.
struct RowLengths {
  float low = 0.0F;  // one row in twenty is shorter
  float median = 0.0F;
  float high = 0.0F;  // one row in twenty is longer

  bool is_known() const { return median > 0.0F; }
  bool operator==(const RowLengths&) const = default;
};

/// Some examples, the same for the same data: in stretches, so that a mapped file is read in few
/// places.
std::vector<std::size_t> sample_examples(std::size_t size);

float row_length(const RowView& row);
/// Reorders the lengths; those of empty rows are left out.
RowLengths quantiles_of(std::vector<float> lengths);
/// Of a sample of the rows.
RowLengths measure_lengths(const DatasetView& view);

}  // namespace cane
