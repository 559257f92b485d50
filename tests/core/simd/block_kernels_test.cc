#include "core/simd/block_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kLengths[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64};
constexpr std::uint32_t kStrides[] = {1, 4, 8, 16, 24, 32, 40};

// A block at a deliberately misaligned address, with as many examples as asked for.
struct Problem {
  Problem(BlockShape block_shape, std::uint32_t examples, bool sparse, std::size_t misalignment)
      : shape(block_shape), offset(misalignment) {
    const CounterRandom random(7, RandomPurpose::kSynthetic);
    const std::size_t floats = (std::size_t{shape.dimension} + 1) * shape.stride;
    weights.resize(floats + offset);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(random.normal(i, 0));
    }
    values.resize(std::size_t{examples} * shape.dimension + offset);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(random.normal(i, 1));
    }
    for (FeatureId i = 0; i < shape.dimension; i += 2) indices.push_back(i);
    for (std::uint32_t e = 0; e < examples; ++e) {
      const float* row = values.data() + offset + std::size_t{e} * shape.dimension;
      rows.push_back(sparse
                         ? RowView{indices.data(), row, static_cast<std::uint32_t>(indices.size())}
                         : RowView{nullptr, row, shape.dimension});
    }
  }
  float* block() { return weights.data() + offset; }

  BlockShape shape;
  std::size_t offset;
  std::vector<float> weights;
  std::vector<float> values;
  std::vector<FeatureId> indices;
  std::vector<RowView> rows;
};

FeatureId feature(const RowView& row, std::uint32_t p) {
  return row.indices == nullptr ? p : row.indices[p];
}

// The plain reference, in double.
double plain_score(const float* block, BlockShape shape, const RowView& row, float base,
                   std::uint32_t child) {
  double sum =
      static_cast<double>(base) + block[std::size_t{shape.dimension} * shape.stride + child];
  for (std::uint32_t p = 0; p < row.count; ++p) {
    sum += static_cast<double>(row.values[p]) *
           static_cast<double>(block[std::size_t{feature(row, p)} * shape.stride + child]);
  }
  return sum;
}

void plain_update(std::vector<double>& block, BlockShape shape, double rate,
                  const UpdateTask& task) {
  const auto change = [&](std::size_t row, double value) {
    for (std::uint32_t c = 0; c < shape.stride; ++c) {
      block[row * shape.stride + c] += rate * value * static_cast<double>(task.steps[c]);
    }
  };
  for (std::uint32_t p = 0; p < task.row.count; ++p) {
    change(feature(task.row, p), static_cast<double>(task.row.values[p]));
  }
  change(shape.dimension, static_cast<double>(task.bias));
}

class EveryTarget : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryTarget, ScoresAsThePlainLoop) {
  on_every_target([&] {
    for (const std::uint32_t stride : kStrides) {
      for (const bool sparse : {false, true}) {
        for (const std::size_t misalignment : {0U, 1U, 3U}) {
          Problem problem({GetParam(), stride}, 5, sparse, misalignment);
          std::vector<float> scores(5 * std::size_t{stride} + misalignment, NAN);
          std::vector<ScoreTask> tasks;
          for (std::uint32_t e = 0; e < 5; ++e) {
            tasks.push_back({problem.rows[e], 0.5F * static_cast<float>(e),
                             scores.data() + misalignment + std::size_t{e} * stride});
          }
          score_block(problem.block(), problem.shape, tasks);
          for (const ScoreTask& task : tasks) {
            for (std::uint32_t c = 0; c < stride; ++c) {
              ASSERT_NEAR(task.scores[c],
                          plain_score(problem.block(), problem.shape, task.row, task.base, c),
                          1e-4);
            }
          }
        }
      }
    }
  });
}

TEST_P(EveryTarget, ScoresOfATaskDoNotDependOnTheTasksBesideIt) {
  on_every_target([&] {
    for (const std::uint32_t stride : kStrides) {
      Problem problem({GetParam(), stride}, 7, false, 0);
      std::vector<float> together(7 * std::size_t{stride});
      std::vector<float> alone(stride);
      std::vector<ScoreTask> tasks;
      for (std::uint32_t e = 0; e < 7; ++e) {
        tasks.push_back({problem.rows[e], 1.0F, together.data() + std::size_t{e} * stride});
      }
      score_block(problem.block(), problem.shape, tasks);
      for (std::uint32_t e = 0; e < 7; ++e) {
        const ScoreTask task = {problem.rows[e], 1.0F, alone.data()};
        score_block(problem.block(), problem.shape, std::span(&task, 1));
        for (std::uint32_t c = 0; c < stride; ++c) {
          ASSERT_EQ(alone[c], together[std::size_t{e} * stride + c]);
        }
      }
    }
  });
}

TEST_P(EveryTarget, UpdatesAsThePlainLoop) {
  on_every_target([&] {
    for (const std::uint32_t stride : kStrides) {
      for (const bool sparse : {false, true}) {
        Problem problem({GetParam(), stride}, 2, sparse, 1);
        const std::size_t floats = (std::size_t{GetParam()} + 1) * stride;
        std::vector<float> steps(2 * std::size_t{stride}, 0.0F);
        for (std::size_t i = 0; i < steps.size(); i += 3) {
          steps[i] = 0.1F * static_cast<float>(i) - 1.0F;
        }
        const UpdateTask tasks[] = {{problem.rows[0], 1.0F, steps.data()},
                                    {problem.rows[1], 0.25F, steps.data() + stride}};
        std::vector<double> expected(problem.block(), problem.block() + floats);
        for (const UpdateTask& task : tasks) plain_update(expected, problem.shape, 0.3, task);
        update_block(problem.block(), problem.shape, 0.3F, tasks);
        for (std::size_t i = 0; i < floats; ++i) {
          ASSERT_NEAR(problem.block()[i], expected[i], 1e-4);
        }
      }
    }
  });
}

TEST_P(EveryTarget, UpdatesTogetherAreThoseOfOneTaskAfterTheOther) {
  constexpr std::uint32_t kTasks = 11;
  on_every_target([&] {
    for (const std::uint32_t stride : kStrides) {
      Problem problem({GetParam(), stride}, kTasks, false, 1);
      const Problem sparse({GetParam(), stride}, kTasks, true, 1);
      problem.rows[5] = sparse.rows[5];  // an end to the dense ones
      Problem one_by_one = problem;
      const CounterRandom random(8, RandomPurpose::kSynthetic);
      std::vector<float> steps(kTasks * std::size_t{stride});
      for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i] = static_cast<float>(random.normal(i, 0));
      }
      std::vector<UpdateTask> tasks;
      for (std::uint32_t e = 0; e < kTasks; ++e) {
        tasks.push_back({problem.rows[e], 0.5F + static_cast<float>(e),
                         steps.data() + std::size_t{e} * stride});
      }
      update_block(problem.block(), problem.shape, 0.3F, tasks);
      for (const UpdateTask& task : tasks) {
        update_block(one_by_one.block(), problem.shape, 0.3F, std::span(&task, 1));
      }
      ASSERT_EQ(problem.weights, one_by_one.weights);
    }
  });
}

TEST_P(EveryTarget, AdagradScalesAsThePlainLoop) {
  on_every_target([&] {
    for (const bool sparse : {false, true}) {
      const Problem problem({GetParam(), 4}, 1, sparse, 1);
      const RowView& row = problem.rows[0];
      std::vector<float> sums(GetParam(), 0.25F);
      std::vector<float> scaled(row.count);
      adagrad_scale(row, 0.7F, sums.data(), scaled.data());
      std::vector<float> expected_sums(GetParam(), 0.25F);
      for (std::uint32_t p = 0; p < row.count; ++p) {
        float& sum = expected_sums[feature(row, p)];
        sum += 0.7F * row.values[p] * row.values[p];
        ASSERT_NEAR(scaled[p], row.values[p] / std::sqrt(sum), 1e-5);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(sums[i], expected_sums[i], 1e-5);
    }
  });
}

TEST_P(EveryTarget, ScalesTheRowsOfTheExampleOnly) {
  on_every_target([&] {
    for (const std::uint32_t stride : kStrides) {
      Problem problem({GetParam(), stride}, 1, true, 0);
      const std::vector<float> before(problem.weights);
      std::vector<float> factors(stride, 1.0F);
      factors[0] = 0.5F;
      scale_block(problem.block(), problem.shape, problem.rows[0], factors.data());
      for (std::size_t i = 0; i < before.size(); ++i) {
        const std::size_t row = i / stride;
        const bool touched = i % stride == 0 && (row == GetParam() || row % 2 == 0);
        ASSERT_EQ(problem.weights[i], touched ? 0.5F * before[i] : before[i]);
      }
    }
  });
}

TEST_P(EveryTarget, GoesBackToTheInputAsThePlainLoop) {
  const CounterRandom random(9, RandomPurpose::kSynthetic);
  on_every_target([&] {
    for (const std::uint32_t stride : {1U, 4U, 8U, 12U, 24U, 64U}) {
      Problem problem({GetParam(), stride}, 0, false, 1);
      std::vector<float> steps(2 * std::size_t{stride});
      for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i] = static_cast<float>(random.normal(i, stride));
      }
      std::vector<float> inputs(2 * std::size_t{GetParam()} + 1, 0.5F);
      const BackTask tasks[] = {{steps.data(), inputs.data()},
                                {steps.data() + stride, inputs.data() + GetParam()}};
      back_block(problem.block(), problem.shape, tasks);
      for (std::size_t t = 0; t < 2; ++t) {
        for (FeatureId i = 0; i < GetParam(); ++i) {
          double expected = 0.5;
          for (std::uint32_t c = 0; c < stride; ++c) {
            expected += static_cast<double>(steps[t * stride + c]) *
                        static_cast<double>(problem.block()[std::size_t{i} * stride + c]);
          }
          ASSERT_NEAR(inputs[t * GetParam() + i], expected, 1e-4);
        }
      }
      ASSERT_EQ(inputs.back(), 0.5F);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Lengths, EveryTarget, ::testing::ValuesIn(kLengths));

TEST(BlockKernels, AdagradLeavesAValueOfZeroAtZero) {
  const float value = 0.0F;
  float sum = 0.0F;
  float scaled = NAN;
  adagrad_scale({nullptr, &value, 1}, 1.0F, &sum, &scaled);
  EXPECT_EQ(scaled, 0.0F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
