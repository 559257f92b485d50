// The gradient of a few examples with respect to the weights of a table, as (example, block) parts.
// A part holds one step per column of the block, minus the gradient with respect to that column's
// score. The gradient with respect to a weight is that times the example's feature.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "linear/weights/block_layout.h"

namespace cane {

class GradientParts {
 public:
  explicit GradientParts(const BlockLayout& layout) : slot_(layout.widest_stride()) {}

  struct Part {
    std::uint32_t example;
    NodeId node;  // owner of the block; in a flat table, the number of the block
  };

  void clear() {
    parts_.clear();
    steps_.clear();
  }
  /// The steps of a new part, all zero; valid until the next part is added.
  float* add_part(std::uint32_t example, NodeId node) {
    parts_.push_back({example, node});
    steps_.resize(steps_.size() + slot_, 0.0F);
    return steps_.data() + steps_.size() - slot_;
  }

  /// Leaves out most parts whose longest step is below `least`, and makes up for them in those it
  /// keeps: a part is kept with the probability (longest step) / least, and its longest step
  /// becomes `least`. The expectation of every step stays what it was, but for steps below a
  /// sixteen millionth of `least`, which are left out. uniform() gives numbers in [0, 1).
  template <typename Uniform>
  void thin(float least, const Uniform& uniform) {
    std::size_t kept = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const float longest = longest_step(part);
      if (longest < least) {
        // Only a draw of exactly zero could keep a step below the last bit of a draw, far too
        // often, and one as small as e^-90 would be scaled beyond the range of a float.
        if (longest < kLastBit * least || uniform() * least >= longest) continue;
        scale_part(part, least / longest);
      }
      if (kept != part) move_part(part, kept);
      ++kept;
    }
    shrink(kept);
  }

  /// Raises longest[e] to the longest step of example e.
  void raise_to_longest(std::span<float> longest) const {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      float& most = longest[parts_[part].example];
      most = std::max(most, longest_step(part));
    }
  }
  /// Multiplies the steps of every example by its factor, and leaves out those with factor 0.
  void scale_examples(std::span<const float> factors) {
    std::size_t kept = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const float factor = factors[parts_[part].example];
      if (factor == 0.0F) continue;
      if (factor != 1.0F) scale_part(part, factor);
      if (kept != part) move_part(part, kept);
      ++kept;
    }
    shrink(kept);
  }

  std::span<const Part> parts() const { return parts_; }
  const float* steps(std::size_t part) const { return steps_.data() + part * slot_; }
  float* steps(std::size_t part) { return steps_.data() + part * slot_; }

 protected:
  static constexpr float kLastBit = 0x1p-24F;  // of a draw

  float longest_step(std::size_t part) const {
    float longest = 0.0F;
    for (const float step : std::span(steps(part), slot_)) {
      longest = std::max(longest, std::abs(step));
    }
    return longest;
  }
  void scale_part(std::size_t part, float factor) {
    for (float& step : std::span(steps(part), slot_)) step *= factor;
  }
  void move_part(std::size_t from, std::size_t to) {
    parts_[to] = parts_[from];
    std::copy_n(steps(from), slot_, steps(to));
  }
  void shrink(std::size_t parts) {
    parts_.resize(parts);
    steps_.resize(parts * slot_);
  }

 private:
  std::size_t slot_;
  std::vector<Part> parts_;
  std::vector<float> steps_;
};

/// Backward pass from class scores to weights.
class ClassGradient : public GradientParts {
 public:
  using GradientParts::GradientParts;
  virtual ~ClassGradient() = default;

  /// Adds an example with its selected classes and the gradient with respect to each score; a class
  /// may be listed more than once. Steps are minus the gradient, times `scale`.
  virtual void add(std::uint32_t example, std::span<const ClassId> classes,
                   std::span<const float> gradient, float scale) = 0;
};

}  // namespace cane
