// A few examples spread evenly over a dataset, as a dataset of their own, for the rounds of a
// benchmark. Sparse data stays sparse and dense data dense.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/rows/dataset_view.h"

namespace cane::bench {

class SomeExamples {
 public:
  SomeExamples(const DatasetView& data, std::size_t most)
      : is_dense_(data.is_dense()), dimension_(data.dimension()) {
    const std::size_t count = std::min(data.size(), most);
    std::vector<float> scratch(dimension_);
    offsets_.push_back(0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t example = i * data.size() / count;
      const RowView row = data.row(example, scratch);
      values_.insert(values_.end(), row.values, row.values + row.count);
      if (!is_dense_) indices_.insert(indices_.end(), row.indices, row.indices + row.count);
      offsets_.push_back(values_.size());
      labels_.push_back(data.label(example));
      weights_.push_back(data.weight(example));
    }
  }

  DatasetView view() const {
    if (!is_dense_) {
      return {DatasetView::Sparse{offsets_, indices_.data(), values_.data()}, dimension_, labels_,
              weights_};
    }
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(values_.data());
    return {dense, dimension_, labels_, weights_};
  }

 private:
  bool is_dense_;
  FeatureId dimension_;
  std::vector<std::uint64_t> offsets_;
  std::vector<FeatureId> indices_;
  std::vector<float> values_;
  std::vector<ClassId> labels_;
  std::vector<float> weights_;
};

}  // namespace cane::bench
