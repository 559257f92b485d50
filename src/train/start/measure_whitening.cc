#include "train/start/measure_whitening.h"

// Threads are those of the pool alone: the result must not depend on them.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/simd/row_product.h"
#include "data/rows/row_gather.h"
#include "linear/scorers/flat_scorer.h"
#include "train/shuffle.h"

namespace cane {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kSampledRows = 20'000;
// Rows whose products are summed in floats, and rows of the covariance that a task sums.
constexpr std::size_t kRowsOfPart = 256;
constexpr std::size_t kTaskRows = 32;
// The least variance of a feature within classes, as a share of its variance over all rows, and of
// its largest squared deviation within a class: one that hardly varies, or in a few rows alone,
// would count without bound.
constexpr double kLeastWithin = 1e-3;
constexpr double kLeastOfLargest = 0.01;

std::vector<std::uint32_t> sampled_examples(const DatasetView& data, std::uint64_t seed) {
  std::vector<std::uint32_t> order(data.size());
  shuffle_examples(seed, 0, order);
  order.resize(std::min(kSampledRows, order.size()));
  std::ranges::sort(order);
  return order;
}

/// Sums over a sample, a few rows at a time.
class RowSums {
 public:
  RowSums(const DatasetView& data, std::span<const RowView> centres,
          std::span<const double> class_weights, std::uint64_t seed, ThreadPool& pool)
      : data_(data),
        centres_(centres),
        class_weights_(class_weights),
        pool_(pool),
        sample_(sampled_examples(data, seed)),
        dimension_(data.dimension()),
        pitch_(Whitening::row_pitch(dimension_ + 1)),
        rows_(kRowsOfPart * pitch_),
        means_(kRowsOfPart * pitch_),
        mean_(VectorXd::Zero(dimension_)),
        total_(VectorXd::Zero(dimension_)),
        largest_(VectorXd::Zero(dimension_)),
        within_(MatrixXd::Zero(dimension_, Whitening::is_diagonal(dimension_) ? 1 : dimension_)) {
    double weight = 0.0;
    for_rows([&](std::size_t row, std::uint32_t example) {
      const auto own = static_cast<double>(data_.weight(example));
      weight += own;
      for (Eigen::Index i = 0; i < mean_.size(); ++i) mean_(i) += own * value(rows_, row, i);
    });
    mean_ /= std::max(weight, 1e-30);
    for_rows(
        [&](std::size_t row, std::uint32_t example) {
          const auto own = static_cast<double>(data_.weight(example));
          for (Eigen::Index i = 0; i < mean_.size(); ++i) {
            const double from_mean = value(rows_, row, i) - mean_(i);
            total_(i) += own * from_mean * from_mean / std::max(weight, 1e-30);
          }
          count_ += centre_row(row, example) ? 1 : 0;
          for (Eigen::Index i = 0; i < mean_.size(); ++i) {
            largest_(i) = std::max(largest_(i), value(rows_, row, i) * value(rows_, row, i));
          }
        },
        [&](std::size_t rows) { add_products(rows); });
    if (count_ > 0) within_ /= static_cast<double>(count_);
  }

  const VectorXd& mean() const { return mean_; }
  /// Variances that features are taken to have at least; 0: a feature is the same for all rows.
  VectorXd least() const { return (kLeastWithin * total_).cwiseMax(kLeastOfLargest * largest_); }
  const MatrixXd& within() const { return within_; }  // covariance within classes, or its diagonal
  /// The share that is taken off the covariances between features: a sample of few rows
  /// overestimates some, and of fewer rows than features has no inverse.
  double shrinkage() const {
    return static_cast<double>(dimension_) / static_cast<double>(count_ + dimension_);
  }
  VectorXd variances() const {
    if (Whitening::is_diagonal(dimension_)) return within_.col(0);
    return within_.diagonal();
  }

 private:
  double value(const AlignedBuffer<float>& rows, std::size_t row, Eigen::Index i) const {
    return static_cast<double>(rows.data()[row * pitch_ + static_cast<std::size_t>(i)]);
  }

  template <typename OfRow, typename After>
  void for_rows(const OfRow& of_row, const After& after) {
    for (std::size_t begin = 0; begin < sample_.size(); begin += kRowsOfPart) {
      const auto examples = std::span<const std::uint32_t>(sample_).subspan(
          begin, std::min(kRowsOfPart, sample_.size() - begin));
      fill_inputs(gather_.gather(data_, examples), dimension_, pitch_, rows_.data());
      for (std::size_t row = 0; row < examples.size(); ++row) of_row(row, examples[row]);
      after(examples.size());
    }
  }
  template <typename OfRow>
  void for_rows(const OfRow& of_row) {
    for_rows(of_row, [](std::size_t) {});
  }

  // Replaces a row by how far it is from the mean of its class. With its own part in that mean it
  // is nearer than others are. A row alone in its class tells nothing.
  bool centre_row(std::size_t row, std::uint32_t example) {
    const ClassId label = data_.label(example);
    const auto own = static_cast<double>(data_.weight(example));
    const double rest = class_weights_[label] - own;
    float* const values = rows_.data() + row * pitch_;
    if (!(rest > 1e-6 * class_weights_[label]) || own == 0.0) {
      std::fill_n(values, dimension_, 0.0F);
      return false;
    }
    const auto factor = static_cast<float>(std::sqrt(own * class_weights_[label] / rest));
    float* const mean = means_.data() + row * pitch_;
    fill_inputs(std::span(&centres_[label], 1), dimension_, pitch_, mean);
    for (std::size_t i = 0; i < dimension_; ++i) values[i] = factor * (values[i] - mean[i]);
    return true;
  }

  void add_products(std::size_t rows) {
    const float* const values = rows_.data();
    if (Whitening::is_diagonal(dimension_)) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (Eigen::Index i = 0; i < mean_.size(); ++i) {
          within_(i, 0) += value(rows_, row, i) * value(rows_, row, i);
        }
      }
      return;
    }
    pool_.run((dimension_ + kTaskRows - 1) / kTaskRows, [&](std::size_t task, int) {
      const std::size_t first = task * kTaskRows;
      const std::size_t count = std::min<std::size_t>(kTaskRows, dimension_ - first);
      AlignedBuffer<float> products(kTaskRows * pitch_);
      multiply_turned_and_add({values + first, pitch_}, {values, pitch_}, {products.data(), pitch_},
                              count, rows, pitch_);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < dimension_; ++j) {
          within_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(first + i)) +=
              static_cast<double>(products.data()[i * pitch_ + j]);
        }
      }
    });
  }

  const DatasetView& data_;
  std::span<const RowView> centres_;
  std::span<const double> class_weights_;
  ThreadPool& pool_;
  std::vector<std::uint32_t> sample_;
  RowGather gather_;
  FeatureId dimension_;
  std::size_t count_ = 0;  // of the rows with others of their class
  std::size_t pitch_;
  AlignedBuffer<float> rows_;
  AlignedBuffer<float> means_;
  VectorXd mean_;
  VectorXd total_;    // variances over all rows
  VectorXd largest_;  // squared deviations from the mean of a class
  MatrixXd within_;
};

}  // namespace

Whitening measure_whitening(const DatasetView& data, std::span<const RowView> centres,
                            std::span<const double> class_weights, std::uint64_t seed,
                            ThreadPool& pool) {
  const FeatureId dimension = data.dimension();
  const RowSums sums(data, centres, class_weights, seed, pool);
  // A feature that is the same for all rows makes no steps.
  const VectorXd variances = sums.variances().cwiseMax(sums.least());
  const VectorXd scales =
      variances.unaryExpr([](double v) { return v > 0.0 ? 1.0 / std::sqrt(v) : 0.0; });
  AlignedBuffer<float> inverse(Whitening::size(dimension));
  const std::size_t pitch = Whitening::row_pitch(dimension);
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  if (Whitening::is_diagonal(dimension)) {
    for (std::size_t i = 0; i < dimension; ++i) {
      inverse.data()[i] = static_cast<float>(scales(at(i)) * scales(at(i)));
    }
  } else {
    // Correlations, so that features of any size are alike.
    MatrixXd correlations =
        (1.0 - sums.shrinkage()) * (scales.asDiagonal() * sums.within() * scales.asDiagonal());
    correlations.diagonal().setOnes();
    const MatrixXd turned =
        scales.asDiagonal() *
        correlations.llt().solve(MatrixXd::Identity(at(dimension), at(dimension))) *
        scales.asDiagonal();
    for (std::size_t i = 0; i < dimension; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        inverse.data()[i * pitch + j] =
            static_cast<float>(turned(at(std::max(i, j)), at(std::min(i, j))));
      }
    }
  }
  const VectorXd& mean = sums.mean();
  std::vector<float> means(dimension);
  for (std::size_t i = 0; i < dimension; ++i) means[i] = static_cast<float>(mean(at(i)));
  return {std::move(means), std::move(inverse)};
}

std::uint64_t whitening_bytes(FeatureId dimension) {
  const std::uint64_t square = Whitening::size(dimension);
  constexpr std::uint64_t kMatrices = 4;  // of doubles
  return square * (kMatrices * sizeof(double) + sizeof(float)) +
         2 * kRowsOfPart * Whitening::row_pitch(dimension + 1) * sizeof(float);
}

}  // namespace cane
