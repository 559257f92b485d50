#include "core/simd/quantized_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/simd/row_kernels.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimensions[] = {0, 1, 3, 8, 9, 16, 31, 64, 130};
constexpr std::uint32_t kStrides[] = {4, 8, 16, 24, 40};
constexpr std::uint32_t kExamples = 11;  // enough for a panel to be widened once

enum class Kind { kInt8ByColumn, kInt8ByFeature, kFloat16 };
constexpr Kind kKinds[] = {Kind::kInt8ByColumn, Kind::kInt8ByFeature, Kind::kFloat16};

// A block, the same as floats by the definition, and a few examples.
struct Problem {
  Problem(Kind which, FeatureId dimension, std::uint32_t stride, bool sparse)
      : kind(which), shape{dimension, stride} {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    const std::size_t size = std::size_t{dimension} * stride;
    for (std::size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<std::int8_t>(random.below(256, i, 0) - 128));
      halves.push_back(to_half(static_cast<float>(random.normal(i, 1))));
    }
    for (std::size_t i = 0; i < std::max<std::size_t>(dimension, stride); ++i) {
      scales.push_back(static_cast<float>(0.01 + random.uniform(i, 2)));
    }
    for (std::uint32_t c = 0; c < stride; ++c) {
      biases.push_back(static_cast<float>(random.normal(c, 3)));
    }
    for (std::size_t i = 0; i < size; ++i) floats.push_back(plain_weight(i));
    floats.insert(floats.end(), biases.begin(), biases.end());

    for (FeatureId i = 0; i < dimension; i += sparse ? 3 : 1) indices.push_back(i);
    for (std::size_t i = 0; i < kExamples * indices.size(); ++i) {
      values.push_back(static_cast<float>(random.normal(i, 4)));
    }
    for (std::uint32_t e = 0; e < kExamples; ++e) {
      rows.push_back({sparse ? indices.data() : nullptr, values.data() + e * indices.size(),
                      static_cast<std::uint32_t>(indices.size())});
    }
  }
  Problem(const Problem&) = delete;

  float plain_weight(std::size_t i) const {
    if (kind == Kind::kFloat16) return to_float(halves[i]);
    const std::size_t scale = kind == Kind::kInt8ByColumn ? i % shape.stride : i / shape.stride;
    return static_cast<float>(bytes[i]) * scales[scale];
  }
  double plain_score(std::uint32_t example, std::uint32_t column, double base) const {
    double sum = base + static_cast<double>(biases[column]);
    for (std::size_t p = 0; p < indices.size(); ++p) {
      sum += static_cast<double>(rows[example].values[p]) *
             static_cast<double>(floats[std::size_t{indices[p]} * shape.stride + column]);
    }
    return sum;
  }
  // Sums of this many products of this size are rounded by no more.
  double tolerance() const { return 1e-6 * 128.0 * static_cast<double>(shape.dimension + 1); }
  QuantizedWeights weights() const {
    if (kind == Kind::kFloat16) {
      return {QuantizedType::kFloat16, halves.data(), biases.data(), nullptr, false};
    }
    return {QuantizedType::kInt8, bytes.data(), biases.data(), scales.data(),
            kind == Kind::kInt8ByFeature};
  }

  Kind kind;
  BlockShape shape;
  std::vector<std::int8_t> bytes;
  std::vector<Half> halves;
  std::vector<float> scales;
  std::vector<float> biases;
  std::vector<float> floats;
  std::vector<FeatureId> indices;
  std::vector<float> values;
  std::vector<RowView> rows;
};

template <typename Body>
void for_every_block(const Body& body) {
  on_every_target([&] {
    for (const Kind kind : kKinds) {
      for (const FeatureId dimension : kDimensions) {
        for (const std::uint32_t stride : kStrides) {
          for (const bool sparse : {false, true}) {
            SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", "
                                              << dimension << " x " << stride << ", " << sparse);
            body(Problem(kind, dimension, stride, sparse));
          }
        }
      }
    }
  });
}

TEST(QuantizedKernels, ScoreBlocksAsThePlainLoopWhateverIsBesideATask) {
  for_every_block([](const Problem& problem) {
    const std::uint32_t stride = problem.shape.stride;
    std::vector<float> scores(kExamples * stride, NAN);
    std::vector<ScoreTask> tasks;
    for (std::uint32_t e = 0; e < kExamples; ++e) {
      tasks.push_back({problem.rows[e], 0.5F * static_cast<float>(e), scores.data() + e * stride});
    }
    score_block(problem.weights(), problem.shape, tasks);
    for (std::uint32_t e = 0; e < kExamples; ++e) {
      for (std::uint32_t c = 0; c < stride; ++c) {
        ASSERT_NEAR(scores[e * stride + c], problem.plain_score(e, c, 0.5 * e),
                    problem.tolerance());
      }
      std::vector<float> alone(stride);
      const ScoreTask task = {problem.rows[e], 0.5F * static_cast<float>(e), alone.data()};
      score_block(problem.weights(), problem.shape, std::span(&task, 1));
      for (std::uint32_t c = 0; c < stride; ++c) ASSERT_EQ(scores[e * stride + c], alone[c]);
    }
  });
}

TEST(QuantizedKernels, DecodeABlockToTheBit) {
  for_every_block([](const Problem& problem) {
    std::vector<float> floats(problem.floats.size() + 1, -7.0F);
    decode_block(problem.weights(), problem.shape, floats.data());
    for (std::size_t i = 0; i < problem.floats.size(); ++i) {
      ASSERT_EQ(floats[i], problem.floats[i]);
    }
    EXPECT_EQ(floats.back(), -7.0F);
  });
}

// Rows of classes: the transposed problem, each column a row with padding behind it.
template <typename Weight>
std::vector<Weight> as_rows(const std::vector<Weight>& block, BlockShape shape, std::size_t pitch) {
  std::vector<Weight> rows(shape.stride * pitch);
  for (std::uint32_t c = 0; c < shape.stride; ++c) {
    for (FeatureId i = 0; i < shape.dimension; ++i) {
      rows[c * pitch + i] = block[std::size_t{i} * shape.stride + c];
    }
  }
  return rows;
}

TEST(QuantizedKernels, ScoreAndDecodeRowsAsThePlainLoop) {
  const std::vector<ClassId> classes = {3, 0, 2, 2, 7, 1, 5, 6, 4, 3, 0};
  on_every_target([&] {
    for (const Kind kind : {Kind::kInt8ByColumn, Kind::kFloat16}) {
      for (const FeatureId dimension : kDimensions) {
        for (const bool sparse : {false, true}) {
          const Problem problem(kind, dimension, 8, sparse);
          const std::size_t pitch = (dimension + 7) / 8 * 8;
          const auto bytes = as_rows(problem.bytes, problem.shape, pitch);
          const auto halves = as_rows(problem.halves, problem.shape, pitch);
          QuantizedWeights table = problem.weights();
          table.weights = bytes.data();
          if (kind == Kind::kFloat16) table.weights = halves.data();
          for (std::size_t count = 0; count <= classes.size(); ++count) {
            std::vector<float> scores(count + 1, -7.0F);
            score_rows(table, pitch, dimension, problem.rows[0], std::span(classes).first(count),
                       scores.data());
            for (std::size_t i = 0; i < count; ++i) {
              ASSERT_NEAR(scores[i], problem.plain_score(0, classes[i], 0.0), problem.tolerance());
            }
            EXPECT_EQ(scores.back(), -7.0F);
          }
          std::vector<float> row(std::size_t{dimension} + 1);
          decode_block(table, {dimension, 1}, row.data());
          for (FeatureId i = 0; i <= dimension; ++i) {
            ASSERT_EQ(row[i], problem.floats[std::size_t{i} * problem.shape.stride]);
          }
        }
      }
    }
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
