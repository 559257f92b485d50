// Steps on rows of a table of classes or nodes. An entry is (row, example, coefficient): a row that
// an example scores, and d loss / d score. Every row that is touched is updated once, from its
// entries in the order of the examples.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/plain/batch.h"

namespace cane::device {

/// A table of rows that end with their bias.
struct RowTable {
  float* weights = nullptr;  // [rows, pitch]
  float* squares = nullptr;  // AdaGrad: [rows, pitch]; null: SGD
  std::uint64_t rows = 0;
  std::uint32_t width = 0;
  std::uint64_t pitch = 0;
  const float* minus_rate = nullptr;
  bool decays = false;

  CANE_HOST_DEVICE float* row(std::uint64_t number) const { return weights + number * pitch; }
};

struct Entries {
  std::uint32_t per_example = 0;
  const std::uint32_t* rows = nullptr;  // [batch, per_example]; kNoRow: unused
  float* values = nullptr;              // scores, then coefficients
};

/// An item is an entry.
struct ScoreEntry {
  Rows inputs;
  RowTable table;
  Entries entries;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t entry, const Lanes& lanes) const {
    const std::uint32_t row = entries.rows[entry];
    if (row == kNoRow) return;
    const float score = dot(inputs, entry / entries.per_example, table.row(row), lanes);
    if (lanes.owns(0)) entries.values[entry] = score;
  }
};

/// The gradient in the inputs of an example: the sum of coefficient x row. An item is an example.
struct BackExample {
  RowTable table;
  Entries entries;
  float* gradient;  // [batch, pitch]; the place of the bias stays as it is
  std::uint64_t pitch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const std::int64_t first = example * entries.per_example;
    float* out = gradient + static_cast<std::uint64_t>(example) * pitch;
    for (std::uint32_t c = lanes.from(0); c < table.width; c += lanes.stride()) {
      float sum = 0.0F;
      for (std::int64_t entry = first; entry < first + entries.per_example; ++entry) {
        const std::uint32_t row = entries.rows[entry];
        if (row != kNoRow) sum += entries.values[entry] * table.row(row)[c];
      }
      out[c] = sum;
    }
  }
};

/// Entries sorted by row, entries of a row in their original order.
struct SortedEntries {
  const std::uint32_t* rows = nullptr;   // [entries] ascending
  const std::uint32_t* order = nullptr;  // [entries] which entry it was
  std::uint32_t count = 0;
};

/// Keeps 0 / sqrt(0) at zero, as the CPU's kernels do.
inline constexpr float kTinySquare = 1e-20F;

/// What the entries of a row add up to (plain/row_sums.h): for each number its gradient, and how
/// often weight decay applies.
struct DenseSteps {
  const StepState* step;
  Rows inputs;
  RowTable table;
  Entries entries;

  CANE_HOST_DEVICE std::uint32_t columns() const { return table.width + 1; }
  CANE_HOST_DEVICE float scalar(std::uint32_t entry) const {
    return entries.values[entry] != 0.0F ? 1.0F : 0.0F;
  }
  CANE_HOST_DEVICE float part(std::uint32_t entry, std::uint32_t column) const {
    const std::uint64_t example = entry / entries.per_example;
    return entries.values[entry] * inputs.dense[example * inputs.pitch + column];
  }
  /// What all numbers of a row are multiplied with.
  template <typename Lanes>
  CANE_HOST_DEVICE float prepare(std::uint32_t /*row*/, float scalar,
                                 const Lanes& /*lanes*/) const {
    return table.decays ? std::pow(step->decay, scalar) : 1.0F;
  }
  /// Each number is read and written once: 8 bytes with SGD, 16 with AdaGrad.
  CANE_HOST_DEVICE void finish(std::uint32_t row, std::uint32_t column, float factor,
                               float gradient, float squares) const {
    if (table.squares != nullptr) {
      float& sum = table.squares[row * table.pitch + column];
      sum += squares;
      gradient /= std::sqrt(sum + kTinySquare);
    }
    float& weight = table.row(row)[column];
    weight = factor * weight + *table.minus_rate * gradient;
  }
};

/// Updates a row from sparse inputs, entry after entry: examples share few features. An item is a
/// sorted entry; the first one of a row does it.
struct UpdateSparseRow {
  DenseSteps steps;  // without dense inputs
  SortedEntries sorted;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const auto begin = static_cast<std::uint32_t>(item);
    const std::uint32_t row = sorted.rows[begin];
    const RowTable& table = steps.table;
    if (row >= table.rows || (begin > 0 && sorted.rows[begin - 1] == row)) return;
    std::uint32_t end = begin + 1;
    while (end < sorted.count && sorted.rows[end] == row) ++end;
    float* weights = table.row(row);
    float* squares = table.squares == nullptr ? nullptr : table.squares + row * table.pitch;
    if (table.decays || squares != nullptr) {
      for (std::uint32_t p = begin; p < end; ++p) {
        const float value = coefficient(p);
        const float factor = table.decays && value != 0.0F ? steps.step->decay : 1.0F;
        for_each_value(steps.inputs, example(p), lanes, [&](std::uint32_t feature, float x) {
          weights[feature] *= factor;
          if (squares != nullptr) squares[feature] += value * x * (value * x);
        });
        lanes.sync();
      }
    }
    for (std::uint32_t p = begin; p < end; ++p) {
      const float value = *table.minus_rate * coefficient(p);
      for_each_value(steps.inputs, example(p), lanes, [&](std::uint32_t feature, float x) {
        const float root = squares == nullptr ? 1.0F : std::sqrt(squares[feature] + kTinySquare);
        weights[feature] += value * x / root;
      });
      lanes.sync();
    }
  }

 private:
  CANE_HOST_DEVICE float coefficient(std::uint32_t place) const {
    return steps.entries.values[sorted.order[place]];
  }
  CANE_HOST_DEVICE std::int64_t example(std::uint32_t place) const {
    return sorted.order[place] / steps.entries.per_example;
  }
};

}  // namespace cane::device
