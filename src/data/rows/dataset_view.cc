#include "data/rows/dataset_view.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/file/mapped_file.h"

namespace cane {
namespace {

template <typename Element>
const Element* matrix_row(const std::byte* matrix, std::uint64_t row, FeatureId dimension) {
  return reinterpret_cast<const Element*>(matrix) + row * dimension;
}

template <typename Element>
void convert(const Element* source, std::span<float> target, bool normalize) {
  double squares = 0.0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    target[i] = static_cast<float>(source[i]);
    squares += static_cast<double>(target[i]) * static_cast<double>(target[i]);
  }
  if (!normalize || squares == 0.0) return;
  const double scale = 1.0 / std::sqrt(squares);
  for (float& value : target) value = static_cast<float>(static_cast<double>(value) * scale);
}

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return sizeof(float);
    case ElementType::kFloat64:
      return sizeof(double);
    case ElementType::kUint8:
      return sizeof(std::uint8_t);
  }
  return 0;
}

}  // namespace

DatasetView::DatasetView(Sparse features, FeatureId dimension, std::span<const ClassId> labels,
                         std::span<const float> weights)
    : sparse_(features), dimension_(dimension), labels_(labels), weights_(weights) {
  assert(!sparse_.rows.empty() || sparse_.offsets.size() == labels.size() + 1);
  assert(sparse_.rows.empty() || sparse_.rows.size() == labels.size());
  assert(weights.empty() || weights.size() == labels.size());
}

DatasetView::DatasetView(Dense features, FeatureId dimension, std::span<const ClassId> labels,
                         std::span<const float> weights)
    : dense_(features), is_dense_(true), dimension_(dimension), labels_(labels), weights_(weights) {
  assert(dense_.rows.empty() || dense_.rows.size() == labels.size());
  assert(weights.empty() || weights.size() == labels.size());
}

RowView DatasetView::row(std::size_t example, std::span<float> scratch) const {
  if (!is_dense_) {
    const std::uint64_t place = sparse_.rows.empty() ? example : sparse_.rows[example];
    const std::uint64_t begin = sparse_.offsets[place];
    const std::uint64_t end = sparse_.offsets[place + 1];
    return {sparse_.indices + begin, sparse_.values + begin,
            static_cast<std::uint32_t>(end - begin)};
  }
  const std::uint64_t row = dense_.rows.empty() ? example : dense_.rows[example];
  if (dense_.type == ElementType::kFloat32 && !dense_.normalize) {
    return {nullptr, matrix_row<float>(dense_.matrix, row, dimension_), dimension_};
  }
  assert(scratch.size() >= dimension_);
  const std::span<float> target = scratch.first(dimension_);
  switch (dense_.type) {
    case ElementType::kFloat32:
      convert(matrix_row<float>(dense_.matrix, row, dimension_), target, dense_.normalize);
      break;
    case ElementType::kFloat64:
      convert(matrix_row<double>(dense_.matrix, row, dimension_), target, dense_.normalize);
      break;
    case ElementType::kUint8:
      convert(matrix_row<std::uint8_t>(dense_.matrix, row, dimension_), target, dense_.normalize);
      break;
  }
  return {nullptr, target.data(), dimension_};
}

void DatasetView::prefetch(std::size_t example, int part) const {
  if (part == 0) {
    __builtin_prefetch(labels_.data() + example);
    if (!is_dense_) __builtin_prefetch(sparse_.offsets.data() + stored_row(example));
    return;
  }
  if (is_dense_) return;             // rows are long: the hardware prefetches them
  constexpr std::size_t kLine = 16;  // values in a cache line
  const std::uint64_t row = stored_row(example);
  for (std::uint64_t at = sparse_.offsets[row]; at < sparse_.offsets[row + 1]; at += kLine) {
    __builtin_prefetch(sparse_.indices + at);
    __builtin_prefetch(sparse_.values + at);
  }
}

DatasetView DatasetView::with_rows(std::span<const std::uint64_t> rows,
                                   std::span<const ClassId> labels,
                                   std::span<const float> weights) const {
  // An empty list means all rows, so it cannot express an empty selection.
  assert(!rows.empty());
  if (is_dense_) {
    Dense features = dense_;
    features.rows = rows;
    return {features, dimension_, labels, weights};
  }
  Sparse features = sparse_;
  features.rows = rows;
  return {features, dimension_, labels, weights};
}

std::uint64_t DatasetView::stored_values() const {
  if (is_dense_) return std::uint64_t{size()} * dimension_;
  if (!sparse_.rows.empty()) {
    std::uint64_t values = 0;
    for (const std::uint64_t row : sparse_.rows) {
      values += sparse_.offsets[row + 1] - sparse_.offsets[row];
    }
    return values;
  }
  return sparse_.offsets.empty() ? 0 : sparse_.offsets.back() - sparse_.offsets.front();
}

std::uint64_t DatasetView::empty_rows() const {
  std::uint64_t empty = 0;
  for (std::size_t example = 0; example < size() && !is_dense_; ++example) {
    const std::uint64_t row = stored_row(example);
    empty += sparse_.offsets[row] == sparse_.offsets[row + 1] ? 1 : 0;
  }
  return empty;
}

std::uint64_t DatasetView::stored_bytes() const {
  const std::uint64_t per_example = sizeof(ClassId) + (weights_.empty() ? 0 : sizeof(float)) +
                                    (stored_row_list().empty() ? 0 : sizeof(std::uint64_t)) +
                                    (is_dense_ ? 0 : sizeof(std::uint64_t));
  const std::uint64_t per_value =
      is_dense_ ? size_of(dense_.type) : sizeof(float) + sizeof(FeatureId);
  return size() * per_example + stored_values() * per_value;
}

std::size_t DatasetView::dense_row_bytes() const {
  return dimension_ * size_of(dense_.type);
}

bool DatasetView::is_mapped() const {
  return stored_row_list().empty() && (is_dense_ ? dense_.mapped : sparse_.mapped);
}

std::array<std::span<const std::byte>, 3> DatasetView::feature_bytes(std::size_t begin,
                                                                     std::size_t end) const {
  if (is_dense_) {
    const std::size_t row = dense_row_bytes();
    return {std::span(dense_.matrix + begin * row, (end - begin) * row)};
  }
  const std::uint64_t first = sparse_.offsets[begin];
  const std::uint64_t count = sparse_.offsets[end] - first;
  return {std::as_bytes(std::span(sparse_.indices + first, count)),
          std::as_bytes(std::span(sparse_.values + first, count)),
          std::as_bytes(sparse_.offsets.subspan(begin, end - begin))};
}

void DatasetView::fetch_rows(std::size_t begin, std::size_t end) const {
  if (!is_mapped()) return;
  for (const auto bytes : feature_bytes(begin, end)) fetch_pages(bytes);
}

void DatasetView::drop_rows(std::size_t begin, std::size_t end) const {
  if (!is_mapped()) return;
  for (const auto bytes : feature_bytes(begin, end)) drop_pages(bytes);
}

double DatasetView::density() const {
  const double cells = static_cast<double>(size()) * static_cast<double>(dimension_);
  return static_cast<double>(stored_values()) / std::max(cells, 1.0);
}

std::vector<double> class_counts(const DatasetView& data, std::uint32_t classes) {
  std::vector<double> counts(classes, 0.0);
  for (std::size_t example = 0; example < data.size(); ++example) {
    const ClassId label = data.label(example);
    if (label < classes) counts[label] += static_cast<double>(data.weight(example));
  }
  return counts;
}

}  // namespace cane
