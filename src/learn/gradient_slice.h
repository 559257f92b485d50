// A few examples on their way through Alg. 2 up to the update: their shortlists, the objective, and
// the gradient carried back to the edges of the tree. It reads the weights and writes only to
// itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/shortlist_batch.h"
#include "model/path_gradient.h"

namespace cane {

struct SliceTotals {
  double loss = 0.0;    // weighted sum
  double weight = 0.0;  // sum of example weights
  std::uint64_t examples = 0;
  std::uint64_t covered = 0;  // examples whose label was a candidate
  std::uint64_t rows_scored = 0;

  void add(const SliceTotals& other) {
    loss += other.loss;
    weight += other.weight;
    examples += other.examples;
    covered += other.covered;
    rows_scored += other.rows_scored;
  }
};

class GradientSlice {
 public:
  /// `clip`: the longest gradient of an example; 0: any.
  GradientSlice(const MethodParts& parts, float clip, const ClassTree& tree,
                const BlockLayout& layout)
      : data_(*parts.data), clip_(clip), batch_(parts), gradient_(tree, layout) {}

  SliceTotals compute(std::span<const std::uint32_t> examples, const CounterRandom& random);

  const PathGradient& gradient() const { return gradient_; }
  const RowView& row(std::uint32_t example) const { return batch_.row(example); }

 private:
  float clipped(float weight, const RowView& row) const;

  const DatasetView& data_;
  float clip_;
  ShortlistBatch batch_;
  std::vector<float> score_gradient_;
  PathGradient gradient_;
};

}  // namespace cane
