#include "train/device/row_feed.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/buffer.h"

namespace cane {
namespace {

// Examples that a thread copies at once.
constexpr std::size_t kPiece = 64;

bool are_rows_as_they_lie(const DatasetView& data) {
  if (!data.is_dense()) return data.sparse().rows.empty();
  const DatasetView::Dense& dense = data.dense();
  return dense.rows.empty() && dense.type == ElementType::kFloat32 && !dense.normalize;
}

// Where rows are written to, those of example i at offsets[i] if they are sparse.
struct Target {
  float* dense = nullptr;
  const std::uint64_t* offsets = nullptr;
  std::uint32_t* indices = nullptr;
  float* values = nullptr;
};

// `number_of(i)` is the example that is written at place i.
template <typename NumberOf>
void write_offsets(const DatasetView& data, std::size_t count, const NumberOf& number_of,
                   std::uint64_t* offsets) {
  const std::span<const std::uint64_t> begins = data.sparse().offsets;
  offsets[0] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t row = data.stored_row(number_of(i));
    offsets[i + 1] = offsets[i] + begins[row + 1] - begins[row];
  }
}

template <typename NumberOf>
void write_rows(const DatasetView& data, std::size_t count, const NumberOf& number_of,
                const Target& target, ThreadPool& pool) {
  const std::size_t dimension = data.dimension();
  pool.run((count + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kPiece;
    for (std::size_t i = begin; i < std::min(begin + kPiece, count); ++i) {
      if (target.dense != nullptr) {
        float* const place = target.dense + i * dimension;
        const RowView row = data.row(number_of(i), {place, dimension});
        if (row.values != place) std::copy_n(row.values, dimension, place);
      } else {
        const RowView row = data.row(number_of(i), {});
        std::copy_n(row.indices, row.count, target.indices + target.offsets[i]);
        std::copy_n(row.values, row.count, target.values + target.offsets[i]);
      }
    }
  });
}

}  // namespace

std::uint64_t bytes_to_keep(const DatasetView& data) {
  if (are_rows_as_they_lie(data)) return 0;
  if (data.is_dense()) return data.stored_values() * sizeof(float);
  return data.stored_values() * (sizeof(FeatureId) + sizeof(float)) +
         (data.size() + 1) * sizeof(std::uint64_t);
}

void keep_rows(device::Learner& learner, const DatasetView& data, ThreadPool& pool) {
  device::HostRows rows;
  rows.labels = data.labels().data();
  rows.weights = data.has_weights() ? data.weights().data() : nullptr;
  Buffer<float> values;
  Buffer<FeatureId> indices;
  Buffer<std::uint64_t> offsets;
  const auto itself = [](std::size_t i) { return i; };
  if (are_rows_as_they_lie(data)) {
    rows.dense = data.is_dense() ? reinterpret_cast<const float*>(data.dense().matrix) : nullptr;
    rows.offsets = data.sparse().offsets.data();
    rows.indices = data.sparse().indices;
    rows.values = data.sparse().values;
  } else {
    values = Buffer<float>(data.stored_values());
    Target target;
    if (data.is_dense()) {
      rows.dense = target.dense = values.data();
    } else {
      indices = Buffer<FeatureId>(data.stored_values());
      offsets = Buffer<std::uint64_t>(data.size() + 1);
      write_offsets(data, data.size(), itself, offsets.data());
      rows.offsets = target.offsets = offsets.data();
      rows.indices = target.indices = indices.data();
      rows.values = target.values = values.data();
    }
    write_rows(data, data.size(), itself, target, pool);
  }
  learner.keep_data(rows);
}

void fill_buffer(device::Learner& learner, const DatasetView& data,
                 std::span<const std::uint32_t> examples, ThreadPool& pool) {
  const device::BatchBuffer buffer = learner.next_buffer();
  const auto number_of = [&](std::size_t i) { return examples[i]; };
  for (std::size_t i = 0; i < examples.size(); ++i) {
    buffer.labels[i] = data.label(examples[i]);
    buffer.weights[i] = data.weight(examples[i]);
    buffer.numbers[i] = examples[i];
  }
  Target target = {.dense = data.is_dense() ? buffer.dense : nullptr,
                   .offsets = buffer.offsets,
                   .indices = buffer.indices,
                   .values = buffer.values};
  if (!data.is_dense()) write_offsets(data, examples.size(), number_of, buffer.offsets);
  write_rows(data, examples.size(), number_of, target, pool);
}

}  // namespace cane
