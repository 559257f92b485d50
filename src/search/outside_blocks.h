// A law over classes whose masses lie in one array, restricted to the classes outside a set. Masses
// are summed block by block, so that a draw looks at the sums of the blocks and at one block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "linear/scorers/class_scorer.h"

namespace cane {

class OutsideBlocks {
 public:
  /// `masses` are 0 or more, as many as a multiple of the width of a block; `excluded` is
  /// ascending. Returns the mass outside.
  double prepare(std::span<const float> masses, std::span<const ClassId> excluded) {
    excluded_.assign(excluded.begin(), excluded.end());
    sums_.resize(masses.size() / kBlock);
    auto next = excluded.begin();
    outside_ = 0.0;
    for (std::size_t block = 0; block < sums_.size(); ++block) {
      const float* begin = masses.data() + block * kBlock;
      float sum = 0.0F;
      if (next == excluded.end() || *next >= (block + 1) * kBlock) {
        float lanes[8] = {};
        for (std::size_t i = 0; i < kBlock; i += 8) {
          for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += begin[i + lane];
        }
        sum = std::accumulate(lanes, lanes + 8, 0.0F);
      } else {
        // Sum without the excluded classes: subtracting them cancels badly if they hold all the
        // mass.
        for (std::size_t i = 0; i < kBlock; ++i) {
          if (next != excluded.end() && *next == block * kBlock + i) {
            ++next;
          } else {
            sum += begin[i];
          }
        }
      }
      sums_[block] = sum;
      outside_ += static_cast<double>(sum);
    }
    return outside_;
  }

  /// The mass outside, of the last prepare.
  double outside() const { return outside_; }

  /// The class that the uniform `u` in [0, 1) selects. `masses` must come from the last prepare,
  /// with some mass outside.
  ClassId draw(const float* masses, double u) const {
    double rest = u * outside_;
    std::size_t block = 0;
    std::size_t last_block = 0;  // last block with any mass, used if rounding runs past the end
    for (; block < sums_.size(); ++block) {
      if (sums_[block] > 0.0F) last_block = block;
      if (rest < static_cast<double>(sums_[block])) break;
      rest -= static_cast<double>(sums_[block]);
    }
    if (block == sums_.size()) block = last_block;
    auto next = std::lower_bound(excluded_.begin(), excluded_.end(), block * kBlock);
    ClassId drawn = kUnknownClass;
    for (std::size_t k = block * kBlock; k < (block + 1) * kBlock; ++k) {
      if (next != excluded_.end() && *next == k) {
        ++next;
        continue;
      }
      if (masses[k] > 0.0F) drawn = static_cast<ClassId>(k);
      if (rest < static_cast<double>(masses[k])) break;
      rest -= static_cast<double>(masses[k]);
    }
    return drawn;
  }

 private:
  static constexpr std::size_t kBlock = ClassScorer::kAllMultiple;

  std::vector<ClassId> excluded_;
  std::vector<float> sums_;  // without excluded classes
  double outside_ = 0.0;
};

}  // namespace cane
