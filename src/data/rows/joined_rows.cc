#include "data/rows/joined_rows.h"

namespace cane {

void JoinedRows::add(const DatasetView& data, std::size_t example, float weight) {
  if (data.is_dense()) scratch_.resize(dimension);
  const RowView row = data.row(example, scratch_);
  const std::size_t begin = values.size();
  if (is_dense) values.resize(begin + dimension, 0.0F);
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const FeatureId feature = row.indices == nullptr ? i : row.indices[i];
    if (is_dense) {
      values[begin + feature] = row.values[i];
    } else if (row.values[i] != 0.0F) {
      indices.push_back(feature);
      values.push_back(row.values[i]);
    }
  }
  offsets.push_back(values.size());
  labels.push_back(data.label(example));
  weights.push_back(weight);
}

DatasetView JoinedRows::view() const {
  if (is_dense) {
    return {
        DatasetView::Dense{.matrix = reinterpret_cast<const std::byte*>(values.data()), .rows = {}},
        dimension, labels, weights};
  }
  return {
      DatasetView::Sparse{.offsets = offsets, .indices = indices.data(), .values = values.data()},
      dimension, labels, weights};
}

}  // namespace cane
