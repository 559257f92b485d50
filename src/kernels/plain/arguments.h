// Arguments of the kernels of the sampled layers: plain pointers and sizes. The kernels of both
// devices have the same names and arguments; those for the GPU take a stream in addition
// (cpu/kernels.h, cuda/kernels.h).
#pragma once

#include <cstdint>

#include "kernels/plain/law.h"
#include "kernels/plain/numbers.h"
#include "kernels/plain/objective.h"

namespace cane::kernels {

// Draws for an example or for the batch, as pure functions of seed, step, example and draw: any
// thread on any device gets the same classes. Host and device.

/// Classes cut into subsets: subset i has classes[offsets[i] .. offsets[i + 1]].
struct SubsetView {
  const std::int64_t* offsets = nullptr;
  const std::int32_t* classes = nullptr;
};

/// Draws `count` distinct classes of a subset uniformly (Floyd's algorithm); if it has fewer, all
/// of them, then kNoClass.
CANE_HOST_DEVICE inline void draw_from_subset(const SubsetView& subsets, std::int64_t subset,
                                              std::int64_t count, const CounterRandom& random,
                                              std::uint64_t key, std::int32_t* drawn) {
  const std::int32_t* members = subsets.classes + subsets.offsets[subset];
  const std::int64_t size = subsets.offsets[subset + 1] - subsets.offsets[subset];
  const std::int64_t taken = count < size ? count : size;
  for (std::int64_t i = 0; i < taken; ++i) {
    const std::int64_t last = size - taken + i;
    const auto pick = static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(last) + 1, key, static_cast<std::uint32_t>(i)));
    bool is_drawn = false;
    for (std::int64_t k = 0; k < i; ++k) is_drawn = is_drawn || drawn[k] == members[pick];
    drawn[i] = members[is_drawn ? last : pick];
  }
  for (std::int64_t i = taken; i < count; ++i) drawn[i] = kNoClass;
}

struct DrawArguments {
  ShortlistShape shape;
  LawView law;
  std::uint64_t seed = 0;
  const std::int64_t* step = nullptr;      // one value, on the device
  const std::int64_t* contexts = nullptr;  // [examples]; read only by a law with successors
  std::int32_t* own_classes = nullptr;     // [examples, shape.own_classes()]
  std::int32_t* shared_classes = nullptr;  // [shape.shared_classes()]
};

struct SubsetArguments {
  ShortlistShape shape;
  SubsetView subsets;
  std::uint64_t seed = 0;
  const std::int64_t* step = nullptr;
  const std::int64_t* chosen = nullptr;  // [examples] a subset
  std::int32_t* own_classes = nullptr;
};

/// Labels of the batch as candidates. column_of_class is read and written: entries of classes that
/// are always candidates stay, and `forget_batch_classes` restores the others.
struct BatchClassArguments {
  std::int64_t examples = 0;
  std::int64_t streams = 1;
  std::int32_t first_column = 0;            // after the classes that are always candidates
  const std::int64_t* labels = nullptr;     // [examples]; negative: none
  std::int32_t* column_of_class = nullptr;  // [classes]
  std::int32_t* classes = nullptr;          // [examples] out: a class or kNoClass
  std::int32_t* visible_after = nullptr;    // [examples] out
};

/// Scores of each example's own classes, and the backward pass.
struct GatherArguments {
  ShortlistShape shape;
  std::int64_t width = 0;
  const float* hidden = nullptr;              // [examples, width]
  Numbers weight;                             // [classes, width]
  const float* bias = nullptr;                // [classes]
  const std::int32_t* own_classes = nullptr;  // [examples, shape.own_classes()]
  float* scores = nullptr;                    // [examples, stride]; on the way back the gradient
  float* hidden_gradient = nullptr;           // [examples, width], added to
};

/// Rows extended so that a product with them adds the bias, and its backward pass leaves the
/// gradient of the bias in the same place: [row | bias | zeros up to whole vectors].
struct WidenArguments {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t wide = 0;                  // at least width + 1
  const std::int32_t* classes = nullptr;  // [count] which rows, kNoClass: zeros; null: all in order
  Numbers rows;                           // [.., width]
  const float* biases = nullptr;          // [..]; null: 1
  const float* scale = nullptr;           // factor on rows and biases, one value; null: 1
  float* out = nullptr;                   // [count, wide]
};

/// The value at column c of row i.
CANE_HOST_DEVICE inline float widened_number(const WidenArguments& task, std::int64_t i,
                                             std::int64_t c) {
  const std::int64_t row = task.classes == nullptr ? i : task.classes[i];
  if (row == kNoClass || c > task.width) return 0.0F;
  const float bias = task.biases == nullptr ? 1.0F : task.biases[row];
  const float value = c < task.width ? task.rows[row * task.width + c] : bias;
  return task.scale == nullptr ? value : *task.scale * value;
}

/// The gradients of the class rows, by class: first the classes that the batch shares,
/// already summed over the examples, then gradient x hidden of the examples' own classes. All rows
/// have `width` numbers, the gradient of the bias among them.
struct RowSumArguments {
  ShortlistShape shape;
  std::int64_t classes = 0;  // number of classes
  std::int64_t width = 0;
  std::int64_t shared = 0;
  const std::int32_t* shared_classes = nullptr;  // [shared]
  const float* shared_rows = nullptr;            // [shared, width]
  const std::int32_t* own_classes = nullptr;     // [examples, shape.own_classes()]
  const float* hidden = nullptr;                 // [examples, width]
  const float* gradient = nullptr;               // [examples, stride]

  CANE_HOST_DEVICE std::int64_t own_entries() const { return shape.examples * shape.own_classes(); }
  CANE_HOST_DEVICE std::int64_t entries() const { return shared + own_entries(); }
  CANE_HOST_DEVICE std::int32_t id(std::int64_t entry) const {
    return entry < shared ? shared_classes[entry] : own_classes[entry - shared];
  }
  CANE_HOST_DEVICE const float* row(std::int64_t entry) const {
    if (entry < shared) return shared_rows + entry * width;
    return hidden + (entry - shared) / shape.own_classes() * width;
  }
  CANE_HOST_DEVICE float scale(std::int64_t entry) const {
    if (entry < shared) return 1.0F;
    const std::int64_t example = (entry - shared) / shape.own_classes();
    const std::int64_t place = (entry - shared) % shape.own_classes();
    return gradient[example * shape.stride() + shape.column_of_own(place)];
  }
};

/// Scores along the paths of a one-layer tree: the score of its subset is added to that of every
/// class; the backward pass sums the gradients of the classes of a subset.
struct PathArguments {
  ShortlistShape shape;
  std::int64_t subsets = 0;
  const std::int32_t* subset_of_class = nullptr;  // [classes]
  const std::int32_t* own_classes = nullptr;
  const std::int32_t* shared_classes = nullptr;
  float* scores = nullptr;         // [examples, stride]
  float* subset_scores = nullptr;  // [examples, subsets]; on the way back its gradient
};

}  // namespace cane::kernels
