// Steps of the full softmax in double precision, one class at a time: slow and easy to read. The
// gradients of a batch are all computed at the same weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/dataset_view.h"

namespace cane::bench {

class PlainSoftmax {
 public:
  /// Starts at weights of (dimension + 1) for each class, the bias last.
  PlainSoftmax(std::vector<double> weights, std::uint32_t classes, FeatureId dimension)
      : weights_(std::move(weights)), classes_(classes), dimension_(dimension) {}

  void learn(const DatasetView& data, std::span<const std::uint32_t> batch, double rate) {
    std::vector<double> steps(weights_.size(), 0.0);
    std::vector<float> scratch(dimension_);
    for (const std::uint32_t example : batch) {
      const std::vector<double> x = features(data.row(example, scratch));
      std::vector<double> gradient = probabilities(x);
      gradient[data.label(example)] -= 1.0;
      for (std::uint32_t k = 0; k < classes_; ++k) {
        for (std::size_t i = 0; i <= dimension_; ++i) {
          steps[place(k, i)] -= rate * data.weight(example) * gradient[k] * x[i];
        }
      }
    }
    for (std::size_t i = 0; i < steps.size(); ++i) weights_[i] += steps[i];
  }

  const std::vector<double>& weights() const { return weights_; }

 private:
  std::size_t place(std::uint32_t k, std::size_t feature) const {
    return k * (std::size_t{dimension_} + 1) + feature;
  }

  std::vector<double> features(const RowView& row) const {
    std::vector<double> x(std::size_t{dimension_} + 1, 0.0);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      x[row.indices == nullptr ? p : row.indices[p]] = static_cast<double>(row.values[p]);
    }
    x[dimension_] = 1.0;
    return x;
  }

  std::vector<double> probabilities(const std::vector<double>& x) const {
    std::vector<double> result(classes_, 0.0);
    for (std::uint32_t k = 0; k < classes_; ++k) {
      for (std::size_t i = 0; i < x.size(); ++i) result[k] += weights_[place(k, i)] * x[i];
    }
    const double high = *std::max_element(result.begin(), result.end());
    double sum = 0.0;
    for (double& value : result) sum += value = std::exp(value - high);
    for (double& value : result) value /= sum;
    return result;
  }

  std::vector<double> weights_;
  std::uint32_t classes_;
  FeatureId dimension_;
};

}  // namespace cane::bench
