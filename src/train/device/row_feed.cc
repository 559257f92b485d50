#include "train/device/row_feed.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "core/base/memory.h"

namespace cane {
namespace {

// Examples that a thread copies at once.
constexpr std::size_t kRowsOfATask = 64;

std::uint64_t length_of(const DatasetView& data, std::size_t example) {
  if (data.is_dense()) return data.dimension();
  const std::uint64_t row = data.stored_row(example);
  return data.sparse().offsets[row + 1] - data.sparse().offsets[row];
}

// Where rows are written: those of example i at dimension x i, or at begins[i] - begins[0] if they
// are sparse.
struct Target {
  float* values = nullptr;
  std::uint32_t* indices = nullptr;  // null: dense rows
  const std::uint64_t* begins = nullptr;
};

void write_begins(const DatasetView& data, std::span<const std::uint32_t> examples,
                  std::uint64_t first, std::uint64_t* begins) {
  begins[0] = first;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    begins[i + 1] = begins[i] + length_of(data, examples[i]);
  }
}

void write_row(const DatasetView& data, std::uint32_t example, std::size_t place,
               const Target& target) {
  if (target.indices == nullptr) {
    float* const to = target.values + place * data.dimension();
    const RowView row = data.row(example, {to, data.dimension()});
    if (row.values != to) std::copy_n(row.values, row.count, to);
    return;
  }
  const std::uint64_t begin = target.begins[place] - target.begins[0];
  float* const to = target.values + begin;
  const RowView row = data.row(example, {to, data.is_dense() ? data.dimension() : 0});
  if (row.values != to) std::copy_n(row.values, row.count, to);
  if (row.indices != nullptr) {
    std::copy_n(row.indices, row.count, target.indices + begin);
  } else {
    std::iota(target.indices + begin, target.indices + begin + row.count, 0U);
  }
}

void write_rows(const DatasetView& data, std::span<const std::uint32_t> examples,
                const Target& target, ThreadPool& pool) {
  pool.run((examples.size() + kRowsOfATask - 1) / kRowsOfATask, [&](std::size_t piece, int) {
    const std::size_t end = std::min((piece + 1) * kRowsOfATask, examples.size());
    for (std::size_t i = piece * kRowsOfATask; i < end; ++i)
      write_row(data, examples[i], i, target);
  });
}

}  // namespace

std::uint64_t most_values(const DatasetView& data, std::size_t batch) {
  if (data.is_dense()) return std::min(batch, data.size()) * data.dimension();
  std::vector<std::uint64_t> lengths(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) lengths[i] = length_of(data, i);
  const auto end = lengths.begin() + static_cast<std::ptrdiff_t>(std::min(batch, lengths.size()));
  if (end != lengths.end()) std::nth_element(lengths.begin(), end, lengths.end(), std::greater());
  return std::accumulate(lengths.begin(), end, std::uint64_t{0});
}

void keep_rows(device::Learner& learner, const device::LearnerSpec& spec, const DatasetView& data,
               ThreadPool& pool) {
  constexpr std::uint64_t kValues = kKeptAtOnce / (sizeof(float) + sizeof(std::uint32_t));
  std::vector<std::uint32_t> examples;
  std::vector<std::uint64_t> begins;
  std::vector<float> values;
  std::vector<std::uint32_t> indices;
  std::uint64_t kept = 0;
  for (std::size_t first = 0; first < data.size(); first += examples.size()) {
    examples.clear();
    std::uint64_t count = 0;
    for (std::size_t i = first; i < data.size() && (i == first || count < kValues); ++i) {
      examples.push_back(static_cast<std::uint32_t>(i));
      count += length_of(data, i);
    }
    values.resize(count);
    indices.resize(spec.is_sparse ? count : 0);
    begins.resize(examples.size() + 1);
    write_begins(data, examples, kept, begins.data());
    write_rows(data, examples,
               {values.data(), spec.is_sparse ? indices.data() : nullptr, begins.data()}, pool);
    learner.keep(first, examples.size(),
                 {values.data(), begins.data(), indices.data(), values.data()});
    if (is_large(data.stored_bytes())) data.drop_rows(first, first + examples.size());
    kept += count;
  }
}

void fill_rows(const device::LearnerSpec& spec, const DatasetView& data,
               std::span<const std::uint32_t> examples, const device::BatchBuffer& buffer,
               ThreadPool& pool) {
  if (spec.is_sparse) write_begins(data, examples, 0, buffer.row_begins);
  if (spec.kept_examples > 0) return;
  if (spec.is_sparse) {
    write_rows(data, examples, {buffer.values, buffer.indices, buffer.row_begins}, pool);
  } else {
    write_rows(data, examples, {.values = buffer.dense}, pool);
  }
}

}  // namespace cane
