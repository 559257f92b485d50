// A table with a row of `columns` numbers for each feature, and a last one for the bias: the bag of
// features, and the projection of a proposal. An output is the sum of the rows of an example's
// features, each times the feature's value. AdaGrad keeps one sum for each row.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/plain/entries.h"
#include "device/plain/lanes.h"

namespace cane::device {

struct EmbeddingTable {
  float* weights = nullptr;  // [features + 1, pitch]
  float* squares = nullptr;  // AdaGrad: [features + 1]
  std::uint32_t features = 0;
  std::uint32_t columns = 0;
  std::uint64_t pitch = 0;
  const float* minus_rate = nullptr;

  CANE_HOST_DEVICE float* row(std::uint64_t feature) const { return weights + feature * pitch; }
};

/// The output of an example with sparse features, with a 1 behind it for the bias of what follows.
struct EmbedExample {
  BatchView batch;
  Rows inputs;
  EmbeddingTable table;
  float* out;
  std::uint64_t out_pitch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    float* row = out + static_cast<std::uint64_t>(example) * out_pitch;
    const bool is_there = batch.has(example);
    const std::uint64_t begin = inputs.begins[example];
    const std::uint64_t end = inputs.ends[example];
    for (std::uint32_t c = lanes.from(0); c < out_pitch; c += lanes.stride()) {
      float sum = is_there && c == table.columns ? 1.0F : 0.0F;
      if (is_there && c < table.columns) {
        sum = table.row(table.features)[c];
        for (std::uint64_t p = begin; p < end; ++p) {
          sum += inputs.values[p] * table.row(inputs.indices[p])[c];
        }
      }
      row[c] = sum;
    }
  }
};

/// Puts the 1 behind an output that a product has computed.
struct SetBias {
  BatchView batch;
  float* out;
  std::uint64_t pitch;
  std::uint32_t column;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (lanes.owns(0)) {
      out[static_cast<std::uint64_t>(example) * pitch + column] = batch.has(example) ? 1.0F : 0.0F;
    }
  }
};

/// Lists the features of a batch as entries, the bias of each example among them: where the entries
/// of an example begin. One item; there are as many places as fit into a batch, and the rest is
/// unused.
struct ListValues {
  Rows inputs;
  std::uint32_t batch;
  std::uint64_t places;
  std::uint64_t* starts;    // [batch]
  std::uint32_t* features;  // [places]
  std::uint32_t* examples;  // [places]
  float* values;            // [places]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t /*item*/, const Lanes& lanes) const {
    const Chunk own = chunk_of(batch, lanes);
    float count = 0.0F;
    for (std::uint32_t e = own.begin; e < own.end; ++e) count += length(e);
    auto at = static_cast<std::uint64_t>(lanes.running_sum(count).before);
    for (std::uint32_t e = own.begin; e < own.end; ++e) {
      starts[e] = at;
      at += static_cast<std::uint64_t>(length(e));
    }
    const auto total = static_cast<std::uint64_t>(lanes.sum(count));
    for (std::uint64_t p = total + lanes.from(0); p < places; p += lanes.stride()) {
      features[p] = kNoRow;
    }
  }

 private:
  CANE_HOST_DEVICE float length(std::uint32_t e) const {
    return static_cast<float>(inputs.ends[e] - inputs.begins[e] + 1);
  }
};

/// Fills the places of one example's values.
struct ListExample {
  ListValues list;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const std::uint64_t begin = list.inputs.begins[example];
    const auto count = static_cast<std::uint32_t>(list.inputs.ends[example] - begin);
    const std::uint64_t start = list.starts[example];
    for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
      list.features[start + p] = list.inputs.indices[begin + p];
      list.examples[start + p] = static_cast<std::uint32_t>(example);
      list.values[start + p] = list.inputs.values[begin + p];
    }
    if (!lanes.owns(0)) return;
    list.features[start + count] = list.inputs.width;
    list.examples[start + count] = static_cast<std::uint32_t>(example);
    list.values[start + count] = 1.0F;
  }
};

/// |gradient|^2 of an example's output.
struct GradientLength {
  const float* gradient;
  std::uint64_t pitch;
  std::uint32_t columns;
  float* squares;  // [batch]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    const float* row = gradient + static_cast<std::uint64_t>(example) * pitch;
    float sum = 0.0F;
    for (std::uint32_t c = lanes.from(0); c < columns; c += lanes.stride()) sum += row[c] * row[c];
    sum = lanes.sum(sum);
    if (lanes.owns(0)) squares[example] = sum;
  }
};

/// Steps on the row of a feature from the gradients of the outputs (plain/row_sums.h). An entry is
/// a value of the batch.
struct EmbeddingSteps {
  EmbeddingTable table;
  const std::uint32_t* examples;  // [entries]
  const float* values;            // [entries]
  const float* gradient;          // [batch, pitch] of the outputs
  std::uint64_t pitch;
  const float* lengths;  // [batch] |gradient|^2

  CANE_HOST_DEVICE std::uint32_t columns() const { return table.columns; }
  CANE_HOST_DEVICE float scalar(std::uint32_t entry) const {
    return values[entry] * values[entry] * lengths[examples[entry]];
  }
  CANE_HOST_DEVICE float part(std::uint32_t entry, std::uint32_t column) const {
    return values[entry] * gradient[examples[entry] * pitch + column];
  }
  /// The step of a row: AdaGrad keeps the sum of the scalars.
  template <typename Lanes>
  CANE_HOST_DEVICE float prepare(std::uint32_t row, float scalar, const Lanes& lanes) const {
    if (table.squares == nullptr) return *table.minus_rate;
    const float sum = table.squares[row] + scalar;
    lanes.sync();
    if (lanes.owns(0)) table.squares[row] = sum;
    return *table.minus_rate / std::sqrt(sum + kTinySquare);
  }
  CANE_HOST_DEVICE void finish(std::uint32_t row, std::uint32_t column, float step, float sum,
                               float /*squares*/) const {
    table.row(row)[column] += step * sum;
  }
};

/// AdaGrad's step on the row of a feature of dense inputs. An item is a feature.
struct AdaptEmbedding {
  Rows inputs;
  EmbeddingSteps steps;  // of the table and the gradients alone
  std::uint32_t batch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const auto feature = static_cast<std::uint32_t>(item);
    const auto value = [&](std::uint32_t e) { return inputs.dense[e * inputs.pitch + feature]; };
    float scalar = 0.0F;
    for (std::uint32_t e = lanes.from(0); e < batch; e += lanes.stride()) {
      scalar += value(e) * value(e) * steps.lengths[e];
    }
    const float step = steps.prepare(feature, lanes.sum(scalar), lanes);
    for (std::uint32_t c = lanes.from(0); c < steps.columns(); c += lanes.stride()) {
      float sum = 0.0F;
      for (std::uint32_t e = 0; e < batch; ++e)
        sum += value(e) * steps.gradient[e * steps.pitch + c];
      steps.finish(feature, c, step, sum, 0.0F);
    }
  }
};

}  // namespace cane::device
