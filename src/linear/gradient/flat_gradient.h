// Backward pass from class scores to a flat table: updates only the rows of the selected classes.
#pragma once

#include "linear/gradient/gradient_parts.h"

namespace cane {

class FlatGradient final : public ClassGradient {
 public:
  explicit FlatGradient(const BlockLayout& layout)
      : ClassGradient(layout),
        width_(layout.widest_stride()),
        part_by_block_(layout.node_bound(), 0) {}

  void add(std::uint32_t example, std::span<const ClassId> classes, std::span<const float> gradient,
           float scale) override {
    if (width_ == 1) {
      // A class that is listed twice gets two steps.
      for (std::size_t i = 0; i < classes.size(); ++i) {
        *add_part(example, classes[i]) = -scale * gradient[i];
      }
      return;
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const NodeId block = classes[i] / width_;
      std::uint32_t& part = part_by_block_[block];  // a hint, checked before use
      if (part >= parts().size() || parts()[part].node != block ||
          parts()[part].example != example) {
        part = static_cast<std::uint32_t>(parts().size());
        add_part(example, block);
      }
      steps(part)[classes[i] % width_] -= scale * gradient[i];
    }
  }

 private:
  std::uint32_t width_;
  std::vector<std::uint32_t> part_by_block_;
};

}  // namespace cane
