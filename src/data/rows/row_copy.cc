#include "data/rows/row_copy.h"

#include <algorithm>

namespace cane {
namespace {

// Tasks per copy. After each of them its pages are dropped.
constexpr std::size_t kTasks = 64;

template <typename Element>
void ensure(Buffer<Element>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer = Buffer<Element>(size);
}

}  // namespace

RowCopy::RowCopy(const DatasetView& data)
    : data_(data), row_of_(data.size()), offsets_(0), indices_(0), values_(0), matrix_(0) {
  make_room({});
}

void RowCopy::take(std::span<const ExampleRange> ranges, ThreadPool& pool) {
  places_.clear();
  Place end = {0, 0};
  for (const ExampleRange& range : ranges) {
    places_.push_back(end);
    end.row += range.end - range.begin;
    if (!data_.is_dense()) {
      const auto offsets = data_.sparse().offsets;
      end.value += offsets[range.end] - offsets[range.begin];
    }
  }
  places_.push_back(end);
  make_room(end);
  const std::size_t per_task = (ranges.size() + kTasks - 1) / kTasks;
  pool.run(kTasks, [&](std::size_t task, int) {
    const std::size_t last = std::min((task + 1) * per_task, ranges.size());
    for (std::size_t i = task * per_task; i < last; ++i) copy(ranges[i], places_[i]);
    data_.drop_rows(0, data_.size());
  });
}

void RowCopy::make_room(Place end) {
  if (data_.is_dense()) {
    ensure(matrix_, end.row * data_.dense_row_bytes());
    DatasetView::Dense features = data_.dense();
    features.matrix = matrix_.data();
    features.rows = row_of_;
    features.mapped = false;
    view_ = data_.with_features(features);
    return;
  }
  ensure(offsets_, end.row + 1);
  ensure(indices_, end.value);
  ensure(values_, end.value);
  offsets_.data()[end.row] = end.value;
  view_ = data_.with_features(DatasetView::Sparse{offsets_.span().first(end.row + 1),
                                                  indices_.data(), values_.data(), row_of_, false});
}

void RowCopy::copy(const ExampleRange& range, Place place) {
  for (std::size_t example = range.begin; example < range.end; ++example) {
    row_of_[example] = place.row + (example - range.begin);
  }
  if (data_.is_dense()) {
    const std::size_t bytes = data_.dense_row_bytes();
    const std::byte* const from = data_.dense().matrix + range.begin * bytes;
    std::copy_n(from, (range.end - range.begin) * bytes, matrix_.data() + place.row * bytes);
    return;
  }
  const DatasetView::Sparse& from = data_.sparse();
  const std::uint64_t first = from.offsets[range.begin];
  for (std::size_t example = range.begin; example < range.end; ++example) {
    offsets_.data()[row_of_[example]] = place.value + (from.offsets[example] - first);
  }
  const std::uint64_t count = from.offsets[range.end] - first;
  std::copy_n(from.indices + first, count, indices_.data() + place.value);
  std::copy_n(from.values + first, count, values_.data() + place.value);
}

}  // namespace cane
