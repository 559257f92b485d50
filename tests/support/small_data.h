// A small dataset in memory: classes around random centres, dense or sparse.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "data/rows/dataset_view.h"

namespace cane::testing {

struct SmallDataOptions {
  std::uint32_t classes = 20;
  std::uint32_t examples = 400;
  FeatureId dimension = 12;
  float noise = 0.3F;
  bool sparse = false;
  std::uint32_t one_in = 2;  // sparse data sets one feature in this many
  std::uint64_t seed = 1;
};

class SmallData {
 public:
  explicit SmallData(const SmallDataOptions& options) : options_(options) {
    const CounterRandom random(options.seed, RandomPurpose::kSynthetic);
    const CounterRandom centres(7, RandomPurpose::kSynthetic, 1);
    offsets_.push_back(0);
    for (std::uint32_t e = 0; e < options.examples; ++e) {
      const auto label = static_cast<ClassId>(random.below(options.classes, e, 0));
      labels_.push_back(label);
      for (FeatureId i = 0; i < options.dimension; ++i) {
        if (options.sparse && random.below(options.one_in, e, 1000 + i) + 1 < options.one_in)
          continue;
        const double value =
            centres.normal(label, i) + static_cast<double>(options.noise) * random.normal(e, 1 + i);
        indices_.push_back(i);
        values_.push_back(static_cast<float>(value));
      }
      offsets_.push_back(values_.size());
    }
  }

  DatasetView view() const {
    if (options_.sparse) {
      return {DatasetView::Sparse{offsets_, indices_.data(), values_.data()}, options_.dimension,
              labels_, weights_};
    }
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(values_.data());
    return {dense, options_.dimension, labels_, weights_};
  }

  /// Of dense data: calls change(values) for every row.
  template <typename Change>
  void change_rows(const Change& change) {
    for (std::size_t e = 0; e < labels_.size(); ++e) {
      change(std::span(values_).subspan(offsets_[e], options_.dimension));
    }
  }
  void set_weights(std::vector<float> weights) { weights_ = std::move(weights); }

 private:
  SmallDataOptions options_;
  std::vector<std::uint64_t> offsets_;
  std::vector<FeatureId> indices_;
  std::vector<float> values_;
  std::vector<ClassId> labels_;
  std::vector<float> weights_;
};

}  // namespace cane::testing
