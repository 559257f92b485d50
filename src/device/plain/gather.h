// Brings the examples of a step to their places in the batch.
#pragma once

#include <cstdint>

#include "device/plain/batch.h"

namespace cane::device {

/// Rows in the device's memory: the data kept there, or a streamed batch.
struct SourceRows {
  std::uint32_t width = 0;
  const float* dense = nullptr;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* indices = nullptr;
  const float* values = nullptr;
  const std::uint32_t* labels = nullptr;
  const float* weights = nullptr;
  const std::uint32_t* numbers = nullptr;  // of a streamed batch; null: of the data kept
};

struct BatchArrays {
  std::uint32_t* labels = nullptr;
  float* weights = nullptr;
  std::uint32_t* numbers = nullptr;
  float* dense = nullptr;  // [batch, pitch]; null: sparse rows stay where they are
  std::uint64_t pitch = 0;
  std::uint64_t* begins = nullptr;  // sparse
  std::uint64_t* ends = nullptr;
};

/// An item is a place of the batch. Sparse rows are written out if `batch.dense` is there.
struct GatherExample {
  const StepState* step;
  SourceRows source;
  const std::uint32_t* examples;  // [batch] of the data kept; null: streamed, in order
  BatchArrays batch;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t place, const Lanes& lanes) const {
    const bool is_there = place < step->count;
    const std::uint64_t from = !is_there             ? 0
                               : examples != nullptr ? examples[place]
                                                     : static_cast<std::uint64_t>(place);
    if (lanes.owns(0)) {
      batch.labels[place] = is_there ? source.labels[from] : 0;
      batch.weights[place] = is_there ? source.weights[from] : 0.0F;
      batch.numbers[place] = !is_there                   ? 0
                             : source.numbers != nullptr ? source.numbers[from]
                                                         : static_cast<std::uint32_t>(from);
      if (source.offsets != nullptr) {
        batch.begins[place] = is_there ? source.offsets[from] : 0;
        batch.ends[place] = is_there ? source.offsets[from + 1] : 0;
      }
    }
    if (batch.dense == nullptr) return;
    float* row = batch.dense + static_cast<std::uint64_t>(place) * batch.pitch;
    const auto pitch = static_cast<std::uint32_t>(batch.pitch);
    const bool copies = is_there && source.dense != nullptr;
    for (std::uint32_t i = lanes.from(0); i < pitch; i += lanes.stride()) {
      const float bias = is_there && i == source.width ? 1.0F : 0.0F;
      row[i] = copies && i < source.width ? source.dense[from * source.width + i] : bias;
    }
    if (!is_there || source.offsets == nullptr) return;
    lanes.sync();
    const std::uint64_t begin = source.offsets[from];
    const auto count = static_cast<std::uint32_t>(source.offsets[from + 1] - begin);
    for (std::uint32_t p = lanes.from(0); p < count; p += lanes.stride()) {
      row[source.indices[begin + p]] = source.values[begin + p];
    }
  }
};

}  // namespace cane::device
