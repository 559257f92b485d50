// Flat prediction: scores all classes, with the kernels that the layout of the rows requires
// (matrix products if each class is a row), and takes the best.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "bench/support/flat_rows.h"
#include "core/simd/softmax_kernels.h"
#include "data/rows/row_gather.h"

namespace cane::bench {

class FlatPredictor {
 public:
  explicit FlatPredictor(const FlatRows& rows) : scorer_(rows.scorer()) {}

  /// Appends the best class of each row; the lower class wins a tie.
  void best(std::span<const RowView> rows, std::vector<ClassId>& classes) {
    const std::size_t pitch = scorer_.all_pitch();
    scores_.resize(rows.size() * pitch);
    scorer_.score_all(rows, scratch_, pitch, scores_.data());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const float* scores = scores_.data() + e * pitch;
      const float* end = scores + scorer_.classes();
      const float high = max_of(scores, scorer_.classes());
      classes.push_back(static_cast<ClassId>(std::find(scores, end, high) - scores));
    }
  }

 private:
  FlatScorer scorer_;
  ScoringScratch scratch_;
  std::vector<float> scores_;
};

/// Calls predict(rows) for the first examples of the data, a batch at a time.
class Batches {
 public:
  Batches(const DatasetView& data, std::size_t examples, bool dense_rows)
      : data_(data), examples_(examples), dense_rows_(dense_rows) {}

  template <typename Predict>
  void each(std::size_t batch, const Predict& predict) {
    for (std::size_t begin = 0; begin < examples_; begin += batch) {
      indices_.resize(std::min(batch, examples_ - begin));
      std::iota(indices_.begin(), indices_.end(), begin);
      predict(gather_.gather(data_, std::span<const std::size_t>(indices_), dense_rows_));
    }
  }

 private:
  DatasetView data_;
  std::size_t examples_;
  bool dense_rows_;
  RowGather gather_;
  std::vector<std::size_t> indices_;
};

/// The share of positions at which both agree.
inline double agreement(const std::vector<ClassId>& a, const std::vector<ClassId>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

}  // namespace cane::bench
