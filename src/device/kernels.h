// What a step computes for one item, an example or a row, with any number of lanes: functors that
// compile for the host and the device. Products of matrices are between them (learner_on.h). A row
// of weights is read and written once in a step, by the lanes of one item, in a fixed order.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/host_device.h"
#include "device/backend.h"
#include "device/learner.h"

namespace cane::device {

/// Keeps 0 / sqrt(0) at zero, as the processor's kernels do.
inline constexpr float kTinySquare = 1e-20F;

/// Rows in the memory of the device: the data kept there, or those of a batch in their order.
struct SourceRows {
  const float* dense = nullptr;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* indices = nullptr;
  const float* values = nullptr;
  bool are_kept = false;

  CANE_HOST_DEVICE std::uint64_t row_of(const ListedExample* examples, std::int64_t place) const {
    return are_kept ? examples[place].number : static_cast<std::uint64_t>(place);
  }
};

/// The rows of the classes.
struct ClassTable {
  float* weights = nullptr;
  float* sums = nullptr;  // AdaGrad: [rows, columns]; null: SGD
  std::uint32_t columns = 0;
  std::uint64_t pitch = 0;

  CANE_HOST_DEVICE float* row(std::uint64_t number) const { return weights + number * pitch; }

  /// One step on a weight: minus the gradient, summed over the batch. `kept`: what weight decay
  /// leaves of it.
  CANE_HOST_DEVICE void apply(std::uint64_t number, std::uint32_t column, float kept, float rate,
                              float step) const {
    if (sums != nullptr) {
      float& sum = sums[number * columns + column];
      sum += step * step;
      // A square beyond all numbers would silently stop the weight from learning.
      step = sum <= std::numeric_limits<float>::max() ? step / std::sqrt(sum + kTinySquare)
                                                      : std::numeric_limits<float>::quiet_NaN();
    }
    float& weight = row(number)[column];
    weight = kept * weight + rate * step;
  }
};

/// Writes out the row of an example: its features, a one for the bias, zeros.
struct GatherRow {
  SourceRows source;
  const ListedExample* examples;
  std::uint32_t dimension;
  float* inputs;
  std::uint64_t pitch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t place, const Lanes& lanes) const {
    const std::uint64_t from = source.row_of(examples, place);
    float* const row = inputs + static_cast<std::uint64_t>(place) * pitch;
    for (std::uint32_t i = lanes.from(0); i < pitch; i += lanes.stride()) {
      const float behind = i == dimension ? 1.0F : 0.0F;
      const bool copies = source.dense != nullptr && i < dimension;
      row[i] = copies ? source.dense[from * dimension + i] : behind;
    }
    if (source.dense != nullptr) return;
    lanes.sync();
    const std::uint64_t begin = source.offsets[from];
    const auto count = static_cast<std::uint32_t>(source.offsets[from + 1] - begin);
    for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
      row[source.indices[begin + p]] = source.values[begin + p];
    }
  }
};

/// An embedding for each feature. AdaGrad keeps one sum for each row.
struct EncoderTable {
  float* weights = nullptr;
  float* sums = nullptr;  // null: SGD
  std::uint32_t features = 0;
  std::uint32_t columns = 0;
  std::uint64_t pitch = 0;

  CANE_HOST_DEVICE float* row(std::uint64_t feature) const { return weights + feature * pitch; }
};

/// The values of all rows of a batch.
struct BatchValues {
  std::uint32_t* features = nullptr;
  std::uint32_t* examples = nullptr;
  float* values = nullptr;
};

/// Writes out the sum of the embeddings of an example, each times its feature's value, with a one
/// for the bias of the classes; and lists its values for the way back.
struct EncodeRow {
  SourceRows source;
  const ListedExample* examples;
  const std::uint64_t* begins;  // of the rows in the batch
  EncoderTable table;
  BatchValues batch;
  float* inputs;
  std::uint64_t pitch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t place, const Lanes& lanes) const {
    const std::uint64_t from = source.offsets[source.row_of(examples, place)];
    const std::uint64_t begin = begins[place];
    const auto count = static_cast<std::uint32_t>(begins[place + 1] - begin);
    for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
      batch.features[begin + p] = source.indices[from + p];
      batch.examples[begin + p] = static_cast<std::uint32_t>(place);
      batch.values[begin + p] = source.values[from + p];
    }
    float* const row = inputs + static_cast<std::uint64_t>(place) * pitch;
    for (std::uint32_t c = lanes.from(0); c < pitch; c += lanes.stride()) {
      float sum = c == table.columns ? 1.0F : 0.0F;
      if (c < table.columns) {
        sum = table.row(table.features)[c];
        for (std::uint32_t p = 0; p < count; ++p) {
          sum += source.values[from + p] * table.row(source.indices[from + p])[c];
        }
      }
      row[c] = sum;
    }
  }
};

/// Copies the row of a listed class.
struct GatherColumn {
  const std::uint32_t* columns;
  ClassTable table;
  float* rows;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t column, const Lanes& lanes) const {
    const float* const from = table.row(columns[column]);
    float* const to = rows + static_cast<std::uint64_t>(column) * table.pitch;
    for (std::uint32_t i = lanes.from(0); i < table.pitch; i += lanes.stride()) to[i] = from[i];
  }
};

/// The loss of an example over its columns and its entry, if it has one. Its scores become steps:
/// minus the gradient, times the weight of the example, reduced if the norm of the gradient would
/// exceed `clip` (0: any).
struct Differentiate {
  const ListedExample* examples;
  const float* offsets;  // of the columns; null: all 0
  std::uint32_t columns;
  ClassTable table;
  const float* inputs;  // [examples, table.pitch]
  float clip;
  float* scores;  // [examples, pitch]
  std::uint64_t pitch;
  float* entry_steps;  // [examples]; 0 where the label is a column
  double* losses;      // [examples] added to

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t place, const Lanes& lanes) const {
    const ListedExample& own = examples[place];
    float* const row = scores + static_cast<std::uint64_t>(place) * pitch;
    const float* const x = inputs + static_cast<std::uint64_t>(place) * table.pitch;
    const bool is_entry = own.label_column == kNone;
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t column = own.shift_columns[i];
      if (column != kNone && lanes.owns(column)) row[column] += own.shifts[i];
    }
    float features = 0.0F;
    float product = 0.0F;
    for (std::uint32_t i = lanes.from(0); i < table.columns; i += lanes.stride()) {
      features += x[i] * x[i];
      if (is_entry) product += x[i] * table.row(own.label)[i];
    }
    features = lanes.sum(features);
    product = lanes.sum(product);
    const float label =
        is_entry ? product + own.label_offset : row[own.label_column] + offset(own.label_column);

    // Relative to the largest score of the lane so far, so that scores are read once.
    float own_high = lanes.owns(0) && is_entry ? label : -std::numeric_limits<float>::infinity();
    float sum = lanes.owns(0) && is_entry ? 1.0F : 0.0F;
    float squares = sum;
    for (std::uint32_t k = lanes.from(0); k < columns; k += lanes.stride()) {
      const float score = row[k] + offset(k);
      if (score > own_high) {
        const float shrink = std::exp(own_high - score);
        sum *= shrink;
        squares *= shrink * shrink;
        own_high = score;
      }
      const float value = std::exp(score - own_high);
      sum += value;
      squares += value * value;
    }
    const float high = lanes.max(own_high);
    const float shrink = std::exp(own_high - high);
    sum = lanes.sum(shrink * sum);
    squares = lanes.sum(shrink * shrink * squares);

    float weight = own.weight;
    if (clip > 0.0F) {
      const float likely = std::exp(label - high) / sum;
      const float gradient = squares / (sum * sum) - 2.0F * likely + 1.0F;
      const float length = weight * std::sqrt((gradient > 0.0F ? gradient : 0.0F) * features);
      if (length > clip) weight *= clip / length;
    }
    const float factor = -weight / sum;
    for (std::uint32_t k = lanes.from(0); k < columns; k += lanes.stride()) {
      const float step = factor * std::exp(row[k] + offset(k) - high);
      row[k] = k == own.label_column ? step + weight : step;
    }
    if (!lanes.owns(0)) return;
    entry_steps[place] = is_entry ? factor * std::exp(label - high) + weight : 0.0F;
    const float distance = label - own.label_offset - high;
    losses[place] +=
        static_cast<double>(own.weight) * static_cast<double>(std::log(sum) - distance);
  }

 private:
  CANE_HOST_DEVICE float offset(std::uint32_t column) const {
    return offsets == nullptr ? 0.0F : offsets[column];
  }
};

/// Completes the steps in the row of an example, which those of its columns are in, and leaves
/// their squared length.
struct BackRow {
  const ListedExample* examples;
  const float* entry_steps;
  ClassTable table;
  std::uint32_t columns;  // of the encoder
  float* input_steps;     // [examples, table.pitch]
  float* squares;         // [examples]

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t place, const Lanes& lanes) const {
    float* const row = input_steps + static_cast<std::uint64_t>(place) * table.pitch;
    const float* const weights = table.row(examples[place].label);
    float sum = 0.0F;
    for (std::uint32_t c = lanes.from(0); c < columns; c += lanes.stride()) {
      const float step = row[c] + entry_steps[place] * weights[c];
      row[c] = step;
      sum += step * step;
    }
    sum = lanes.sum(sum);
    if (lanes.owns(0)) squares[place] = sum;
  }
};

/// Steps on the embedding of a feature, for one example after the other. An item is a sorted value;
/// the first one of a feature takes them all.
struct UpdateFeature {
  EncoderTable table;
  Sorted sorted;  // the features of BatchValues
  BatchValues batch;
  const float* input_steps;
  std::uint64_t pitch;
  const float* squares;
  float rate;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const auto begin = static_cast<std::uint64_t>(item);
    const std::uint32_t feature = sorted.keys[begin];
    if (begin > 0 && sorted.keys[begin - 1] == feature) return;
    std::uint64_t end = begin + 1;
    while (end < sorted.count && sorted.keys[end] == feature) ++end;
    const bool adapts = table.sums != nullptr;
    float length = 0.0F;
    for (std::uint32_t c = lanes.from(0); c < table.columns; c += lanes.stride()) {
      float weight = table.row(feature)[c];
      length = adapts ? table.sums[feature] : 0.0F;
      for (std::uint64_t p = begin; p < end; ++p) {
        const std::uint32_t place = sorted.order[p];
        const std::uint32_t example = batch.examples[place];
        float value = batch.values[place];
        if (adapts) {
          length += value * value * squares[example];
          value /= std::sqrt(length + kTinySquare);
        }
        weight += rate * value * input_steps[example * pitch + c];
      }
      table.row(feature)[c] = weight;
    }
    lanes.sync();
    if (adapts && lanes.owns(0)) table.sums[feature] = length;
  }
};

/// Takes the step of a listed class.
struct UpdateColumn {
  const std::uint32_t* columns;  // null: class i is column i
  ClassTable table;
  const float* steps;  // [columns, table.pitch]
  float kept;
  float rate;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t column, const Lanes& lanes) const {
    const auto place = static_cast<std::uint64_t>(column);
    const std::uint64_t number = columns == nullptr ? place : columns[column];
    for (std::uint32_t i = lanes.from(0); i < table.columns; i += lanes.stride()) {
      table.apply(number, i, kept, rate, steps[place * table.pitch + i]);
    }
  }
};

/// Adds up the steps of the entries of a class, in the order of the examples, and takes them.
struct UpdateEntries {
  BatchBuffer batch;
  ClassTable table;
  const float* entry_steps;
  const float* inputs;
  float kept;  // for each entry
  float rate;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const std::uint32_t begin = batch.entry_begins[item];
    const std::uint32_t end = batch.entry_begins[item + 1];
    const float decay = std::pow(kept, static_cast<float>(end - begin));
    for (std::uint32_t i = lanes.from(0); i < table.columns; i += lanes.stride()) {
      float step = 0.0F;
      for (std::uint32_t p = begin; p < end; ++p) {
        const std::uint64_t example = batch.entry_examples[p];
        step += entry_steps[example] * inputs[example * table.pitch + i];
      }
      table.apply(batch.entry_classes[item], i, decay, rate, step);
    }
  }
};

}  // namespace cane::device
