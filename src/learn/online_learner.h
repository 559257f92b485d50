// What learns example by example, each at the weights the one before it left: the online trees. The
// trainer hands it the batches of an epoch one after the other; nothing is learned in common within
// a batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset_view.h"
#include "data/row_gather.h"
#include "learn/gradient_slice.h"
#include "model/row_scaling.h"

namespace cane {

class OnlineLearner {
 public:
  struct Scratch {
    RowGather gather;
    std::vector<float> scaled;
    std::vector<float> steps;
  };

  /// The data and the factors must outlive this. `dense`: rows are spread out.
  OnlineLearner(const DatasetView& data, std::span<const float> feature_scales, bool dense)
      : data_(&data), scaling_(feature_scales), dense_(dense) {}
  virtual ~OnlineLearner() = default;

  /// Threads may learn at once: they share weights without locks, and nothing else changes.
  virtual bool is_shareable() const { return false; }

  SliceTotals learn(std::span<const std::uint32_t> examples, float rate, Scratch& scratch) {
    SliceTotals totals;
    const auto rows = scratch.gather.gather(*data_, examples, dense_);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const float weight = data_->weight(examples[i]);
      ++totals.examples;
      if (weight == 0.0F) continue;
      totals.weight += static_cast<double>(weight);
      learn_example(
          {scaling_.scale(rows[i], scratch.scaled), data_->label(examples[i]), weight, rate},
          scratch, totals);
    }
    return totals;
  }

 protected:
  struct OnlineExample {
    RowView row;
    ClassId label;
    float weight;  // above 0
    float rate;
  };
  /// Adds what it found before it learned: the weighted loss, whether the label was a candidate,
  /// and how many rows it scored.
  virtual void learn_example(const OnlineExample& example, Scratch& scratch,
                             SliceTotals& totals) = 0;

 private:
  const DatasetView* data_;
  RowScaling scaling_;
  bool dense_;
};

}  // namespace cane
