#include "train/clusters/principal_directions.h"

// Threads are those of the pool alone: the result must not depend on them.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>

#include "core/base/buffer.h"
#include "core/base/random.h"
#include "core/simd/block_kernels.h"

namespace cane {
namespace {

constexpr int kIterations = 10;
constexpr std::uint32_t kSpareDirections = 8;
constexpr double kNoVariance = 1e-6;  // as a share of the variance of the first direction
constexpr double kRounding = 1e-12;   // as a share of the mean squared length of a centre
// Columns per tile: one block for the kernels, and the work of one task.
constexpr std::uint32_t kColumnsPerTile = 8;
constexpr std::size_t kClassesAtOnce = 64;
// Limits on the partial sums of a product: floats per tile, and number of parts.
constexpr std::size_t kMaxPartialFloats = std::size_t{1} << 22;
constexpr std::size_t kMaxParts = 8;
constexpr std::size_t kFeaturesPerTask = 1024;
// A remainder below this share of a squared length is rounding error.
constexpr double kDependent = 1e-12;

std::size_t block_size_of(std::size_t dimension) {
  return (dimension + 1) * kColumnsPerTile;
}

std::uint32_t padded_columns(std::uint32_t columns) {
  return (columns + kColumnsPerTile - 1) / kColumnsPerTile * kColumnsPerTile;
}

// How many parts of a product are summed at a time.
std::size_t parts_of(std::size_t block_size) {
  return std::clamp<std::size_t>(kMaxPartialFloats / block_size, 1, kMaxParts);
}

using Eigen::Index;
using Eigen::MatrixXd;
using TileRows = Eigen::Matrix<float, Eigen::Dynamic, kColumnsPerTile, Eigen::RowMajor>;

/// Returns the upper triangular T that orthonormalises columns with the inner products `products`
/// (Gram-Schmidt). A column that depends on earlier ones, up to rounding, gets a zero column in T:
/// no Cholesky factorisation in Eigen does that and keeps the column order, by which each iteration
/// separates the directions.
MatrixXd orthonormalizing_factor(const MatrixXd& products) {
  MatrixXd factor = MatrixXd::Zero(products.rows(), products.cols());
  for (Index j = 0; j < products.cols(); ++j) {
    const Eigen::VectorXd shares = factor.leftCols(j).transpose() * products.col(j);
    const double length = products(j, j) - shares.squaredNorm();
    if (!(length > kDependent * products(j, j))) continue;
    factor(j, j) = 1.0;
    factor.col(j) -= factor.leftCols(j) * shares;
    factor.col(j) /= std::sqrt(length);
  }
  return factor;
}

class SubspaceIteration {
  using Blocks = std::vector<AlignedBuffer<float>>;

 public:
  SubspaceIteration(const ClassCentres& centres, std::span<const float> weights,
                    std::uint32_t columns, ThreadPool& pool)
      : centres_(centres),
        pool_(pool),
        shape_{centres.dimension(), kColumnsPerTile},
        width_(padded_columns(columns)),
        parts_(parts_of(block_size())),
        shares_(weights.begin(), weights.end()),
        mean_(centres.dimension(), 0.0) {
    for (std::size_t tile = 0; tile < width_ / kColumnsPerTile; ++tile)
      blocks_.emplace_back(block_size());
    normalize_weights();
    find_mean();
    fill_at_random(std::min(columns, centres.dimension()));
  }

  void iterate() {
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      multiply();
      orthonormalize();
    }
    // Orthonormalise twice: the error of one pass grows with the square of the condition number.
    orthonormalize();
  }

  // Rotates the columns to the principal axes of their span; returns the variances, descending.
  std::vector<double> align() {
    Blocks before;
    for (const auto& block : blocks_) {
      before.emplace_back(block_size());
      std::ranges::copy(block.span(), before.back().data());
    }
    multiply();
    // Eigenvalues come in ascending order.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> axes(products(before, blocks_));
    blocks_ = std::move(before);
    transform(axes.eigenvectors().rowwise().reverse());
    const Eigen::VectorXd& values = axes.eigenvalues();
    return {std::make_reverse_iterator(values.end()), std::make_reverse_iterator(values.begin())};
  }

  float loading(FeatureId feature, std::size_t column) const {
    return blocks_[column / kColumnsPerTile]
        .data()[std::size_t{feature} * kColumnsPerTile + column % kColumnsPerTile];
  }
  const std::vector<double>& mean() const { return mean_; }
  double mean_squared_length() const { return mean_squared_length_; }

 private:
  std::size_t block_size() const { return block_size_of(shape_.dimension); }

  void normalize_weights() {
    double total = 0.0;
    for (const float share : shares_) total += static_cast<double>(share);
    assert(total > 0.0);
    for (float& share : shares_) share = static_cast<float>(static_cast<double>(share) / total);
  }

  void find_mean() {
    for (ClassId label = 0; label < centres_.class_count(); ++label) {
      const RowView row = centres_.row(label);
      const auto share = static_cast<double>(shares_[label]);
      for (std::uint32_t i = 0; i < row.count; ++i) {
        const FeatureId feature = row.indices != nullptr ? row.indices[i] : i;
        const auto value = static_cast<double>(row.values[i]);
        mean_[feature] += share * value;
        mean_squared_length_ += share * value * value;
      }
    }
  }

  // Calls body(first, last) for ranges of features that do not depend on the number of threads.
  void for_feature_ranges(
      const std::function<void(std::size_t range, FeatureId, FeatureId)>& body) {
    pool_.run(feature_ranges(), [&](std::size_t range, int) {
      const std::size_t begin = range * kFeaturesPerTask;
      const std::size_t end = std::min<std::size_t>(begin + kFeaturesPerTask, shape_.dimension);
      body(range, static_cast<FeatureId>(begin), static_cast<FeatureId>(end));
    });
  }
  std::size_t feature_ranges() const {
    return (shape_.dimension + kFeaturesPerTask - 1) / kFeaturesPerTask;
  }

  // There cannot be more independent columns than features: the others stay zero.
  void fill_at_random(std::uint32_t columns) {
    const CounterRandom random(0, RandomPurpose::kDirections);
    for_feature_ranges([&](std::size_t, FeatureId begin, FeatureId end) {
      for (FeatureId feature = begin; feature < end; ++feature) {
        for (std::uint32_t column = 0; column < columns; ++column) {
          blocks_[column / kColumnsPerTile]
              .data()[std::size_t{feature} * kColumnsPerTile + column % kColumnsPerTile] =
              static_cast<float>(random.normal(feature, column));
        }
      }
    });
  }

  // Replaces the columns V by sum_k p_k c_k t_k^t with t_k = V^t (c_k - m). That is C V, because
  // the p_k t_k add up to zero.
  void multiply() {
    std::vector<AlignedBuffer<float>> sums(blocks_.size() * parts_);
    pool_.run(blocks_.size(), [&](std::size_t tile, int) { set_bias(blocks_[tile].data()); });
    pool_.run(sums.size(), [&](std::size_t task, int) {
      sums[task] = AlignedBuffer<float>(block_size());
      const std::size_t part = task % parts_;
      add_products(blocks_[task / parts_].data(), part * centres_.class_count() / parts_,
                   (part + 1) * centres_.class_count() / parts_, sums[task].data());
    });
    pool_.run(blocks_.size(), [&](std::size_t tile, int) {
      blocks_[tile] = std::move(sums[tile * parts_]);
      for (std::size_t part = 1; part < parts_; ++part) {
        const std::span<const float> from = sums[tile * parts_ + part].span();
        for (std::size_t i = 0; i < from.size(); ++i) blocks_[tile].data()[i] += from[i];
      }
    });
  }

  // The bias of a block is minus the mean's projection, so that scores are those of c - m.
  void set_bias(float* block) const {
    double sums[kColumnsPerTile] = {};
    for (std::size_t feature = 0; feature < mean_.size(); ++feature) {
      for (std::size_t j = 0; j < kColumnsPerTile; ++j) {
        sums[j] -= mean_[feature] * static_cast<double>(block[feature * kColumnsPerTile + j]);
      }
    }
    for (std::size_t j = 0; j < kColumnsPerTile; ++j) {
      block[mean_.size() * kColumnsPerTile + j] = static_cast<float>(sums[j]);
    }
  }

  void add_products(const float* block, std::size_t begin, std::size_t end, float* sums) const {
    std::vector<float> projections(kClassesAtOnce * kColumnsPerTile);
    std::vector<ScoreTask> scores;
    std::vector<UpdateTask> updates;
    for (std::size_t from = begin; from < end; from += kClassesAtOnce) {
      const std::size_t to = std::min(from + kClassesAtOnce, end);
      scores.clear();
      updates.clear();
      for (std::size_t label = from; label < to; ++label) {
        const RowView row = centres_.row(static_cast<ClassId>(label));
        float* projection = projections.data() + (label - from) * kColumnsPerTile;
        scores.push_back({row, 0.0F, projection});
        updates.push_back({row, 0.0F, projection});
      }
      score_block(block, shape_, scores);
      for (std::size_t i = 0; i < (to - from) * kColumnsPerTile; ++i)
        projections[i] *= shares_[from + i / kColumnsPerTile];
      update_block(sums, shape_, 1.0F, updates);
    }
  }

  void orthonormalize() { transform(orthonormalizing_factor(products(blocks_, blocks_))); }

  // A^t B, which is symmetric.
  MatrixXd products(const Blocks& a, const Blocks& b) {
    std::vector<MatrixXd> partial(feature_ranges());
    for_feature_ranges([&](std::size_t range, FeatureId begin, FeatureId end) {
      const MatrixXd right = load_rows(b, begin, end);
      if (&a == &b) {
        partial[range].noalias() = right.transpose() * right;
      } else {
        partial[range].noalias() = load_rows(a, begin, end).transpose() * right;
      }
    });
    MatrixXd result = MatrixXd::Zero(width_, width_);
    for (const MatrixXd& part : partial) result += part;
    return result;
  }

  MatrixXd load_rows(const Blocks& blocks, FeatureId begin, FeatureId end) const {
    MatrixXd rows(end - begin, width_);
    for (std::size_t tile = 0; tile < blocks.size(); ++tile) {
      rows.middleCols<kColumnsPerTile>(static_cast<Index>(tile * kColumnsPerTile)) =
          Eigen::Map<const TileRows>(blocks[tile].data() + std::size_t{begin} * kColumnsPerTile,
                                     rows.rows(), kColumnsPerTile)
              .cast<double>();
    }
    return rows;
  }

  // Multiplies the columns by a matrix on the right.
  void transform(const MatrixXd& matrix) {
    for_feature_ranges([&](std::size_t, FeatureId begin, FeatureId end) {
      const MatrixXd turned = load_rows(blocks_, begin, end) * matrix;
      for (std::size_t tile = 0; tile < blocks_.size(); ++tile) {
        Eigen::Map<TileRows>(blocks_[tile].data() + std::size_t{begin} * kColumnsPerTile,
                             turned.rows(), kColumnsPerTile) =
            turned.middleCols<kColumnsPerTile>(static_cast<Index>(tile * kColumnsPerTile))
                .cast<float>();
      }
    });
  }

  const ClassCentres& centres_;
  ThreadPool& pool_;
  BlockShape shape_;
  std::uint32_t width_;  // columns, a multiple of kColumnsPerTile
  std::size_t parts_;
  std::vector<float> shares_;  // the weights, normalised to sum to one
  std::vector<double> mean_;
  double mean_squared_length_ = 0.0;
  Blocks blocks_;  // kColumnsPerTile columns each
};

}  // namespace

PrincipalDirections principal_directions(const ClassCentres& centres,
                                         std::span<const float> weights, std::uint32_t rank,
                                         ThreadPool& pool) {
  assert(weights.size() == centres.class_count());
  assert(rank <= kMaxDirections);
  SubspaceIteration iteration(centres, weights, rank + kSpareDirections, pool);
  iteration.iterate();
  const std::vector<double> variances = iteration.align();

  const double least =
      std::max(kNoVariance * variances[0], kRounding * iteration.mean_squared_length());
  const std::size_t dimension = centres.dimension();
  PrincipalDirections result{rank,
                             {iteration.mean().begin(), iteration.mean().end()},
                             std::vector<float>(dimension * rank, 0.0F),
                             std::vector<float>(rank, 0.0F)};
  for (std::uint32_t column = 0; column < rank; ++column) {
    if (!(variances[column] > least)) break;
    result.variances[column] = static_cast<float>(variances[column]);
    float largest = 0.0F;
    for (FeatureId feature = 0; feature < dimension; ++feature) {
      const float loading = iteration.loading(feature, column);
      result.loadings[std::size_t{feature} * rank + column] = loading;
      if (std::abs(loading) > std::abs(largest)) largest = loading;
    }
    if (largest > 0.0F) continue;
    for (std::size_t i = column; i < result.loadings.size(); i += rank) {
      result.loadings[i] = -result.loadings[i];
    }
  }
  return result;
}

std::uint64_t principal_directions_bytes(std::uint64_t dimension, std::uint32_t rank) {
  const std::uint64_t tiles = padded_columns(rank + kSpareDirections) / kColumnsPerTile;
  // The columns, and the parts of a product or a copy of the columns.
  return tiles * (1 + parts_of(block_size_of(dimension))) * block_size_of(dimension) *
             sizeof(float) +
         dimension * (sizeof(double) + rank * sizeof(float));
}

}  // namespace cane
