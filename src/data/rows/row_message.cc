#include "data/rows/row_message.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace cane {
namespace {

constexpr std::uint64_t kValueBytes = sizeof(FeatureId) + sizeof(float);

/// A message of known size, filled from the front.
class Packing {
 public:
  explicit Packing(std::uint64_t bytes) : message_(bytes) {}

  template <typename Value>
  void add(std::span<const Value> values) {
    if (values.empty()) return;
    std::memcpy(message_.data() + filled_, values.data(), values.size_bytes());
    filled_ += values.size_bytes();
  }
  template <typename Value>
  void add(const Value& value) {
    add(std::span(&value, 1));
  }
  Bytes finish() { return std::move(message_); }

 private:
  Bytes message_;
  std::size_t filled_ = 0;
};

std::uint64_t feature_bytes(const DatasetView& data, std::size_t example) {
  if (data.is_dense()) return data.dense_row_bytes();
  return sizeof(std::uint32_t) + data.row(example, {}).count * kValueBytes;
}

void pack_features(const DatasetView& data, std::size_t begin, std::size_t end, Packing& message) {
  if (data.is_dense()) {
    const std::size_t bytes = data.dense_row_bytes();
    for (std::size_t i = begin; i < end; ++i) {
      message.add(std::span(data.dense().matrix + data.stored_row(i) * bytes, bytes));
    }
    return;
  }
  const auto for_rows = [&](const auto& action) {
    for (std::size_t i = begin; i < end; ++i) action(data.row(i, {}));
  };
  for_rows([&](const RowView& row) { message.add(row.count); });
  for_rows([&](const RowView& row) { message.add(std::span(row.indices, row.count)); });
  for_rows([&](const RowView& row) { message.add(std::span(row.values, row.count)); });
}

}  // namespace

std::size_t end_of_message(const DatasetView& data, std::size_t begin, std::uint64_t bytes) {
  std::uint64_t taken = 0;
  std::size_t end = begin;
  while (end < data.size() && (end == begin || taken < bytes)) {
    taken += sizeof(ClassId) + feature_bytes(data, end++);
  }
  return end;
}

Bytes pack_rows(const DatasetView& data, std::size_t begin, std::size_t end,
                const RowMessageShape& shape) {
  const std::uint64_t rows = end - begin;
  std::uint64_t bytes = sizeof(rows) + rows * sizeof(ClassId);
  if (shape.has_weights) bytes += rows * sizeof(float);
  for (std::size_t i = begin; i < end; ++i) bytes += feature_bytes(data, i);
  Packing message(bytes);
  message.add(rows);
  message.add(data.labels().subspan(begin, rows));
  for (std::size_t i = begin; i < end && shape.has_weights; ++i) message.add(data.weight(i));
  pack_features(data, begin, end, message);
  return message.finish();
}

RowMessage::RowMessage(std::span<const std::byte> message, const RowMessageShape& shape) {
  const auto take = [&](std::uint64_t bytes) {
    const auto taken = message.first(bytes);
    message = message.subspan(bytes);
    return taken;
  };
  rows = values_of<std::uint64_t>(take(sizeof(rows))).front();
  labels = take(rows * sizeof(ClassId));
  weights = take(shape.has_weights ? rows * sizeof(float) : 0);
  if (!shape.is_dense) {
    counts = take(rows * sizeof(std::uint32_t));
    const std::vector<std::uint32_t> lengths = values_of<std::uint32_t>(counts);
    indices =
        take(std::reduce(lengths.begin(), lengths.end(), std::uint64_t{0}) * sizeof(FeatureId));
  }
  values = message;
}

}  // namespace cane
