// Labels: threads
// The softmax by a team of threads, the generic way with every class a candidate, and a plain loop
// in double must agree.
#include "train/executors/softmax_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/noise/uniform_noise.h"
#include "linear/gradient/class_gradients.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/weights/parameter_table.h"
#include "search/exact_selector.h"
#include "support/dense_gradient.h"
#include "support/small_data.h"
#include "train/steps/shortlist_step.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;

constexpr std::uint32_t kClasses = 133;
constexpr FeatureId kDimension = 11;

struct PlainSoftmax {
  double loss = 0.0;
  std::vector<double> steps;
};

PlainSoftmax plain_softmax(const DatasetView& data, std::span<const std::uint32_t> examples,
                           const BlockLayout& layout, const std::vector<float>& weights,
                           double clip) {
  PlainSoftmax plain;
  plain.steps.assign(layout.size(), 0.0);
  std::vector<float> scratch(kDimension);
  for (const std::uint32_t e : examples) {
    const RowView row = data.row(e, scratch);
    std::vector<double> x(kDimension + 1, 0.0);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      x[row.indices == nullptr ? p : row.indices[p]] = static_cast<double>(row.values[p]);
    }
    x[kDimension] = 1.0;
    std::vector<double> gradient(kClasses);
    double sum = 0.0;
    double label_score = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) {
      double score = 0.0;
      for (std::size_t i = 0; i <= kDimension; ++i) {
        score += x[i] * static_cast<double>(weights[layout.offset(k) + i]);
      }
      gradient[k] = std::exp(score);
      sum += gradient[k];
      if (k == data.label(e)) label_score = score;
    }
    const auto weight = static_cast<double>(data.weight(e));
    plain.loss += weight * (std::log(sum) - label_score);
    double squares = 0.0;
    for (ClassId k = 0; k < kClasses; ++k) {
      gradient[k] = gradient[k] / sum - (k == data.label(e) ? 1.0 : 0.0);
      for (const double feature : x) squares += std::pow(gradient[k] * feature, 2.0);
    }
    const double length = weight * std::sqrt(squares);
    const double scale = clip > 0.0 && length > clip ? weight * clip / length : weight;
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i <= kDimension; ++i) {
        plain.steps[layout.offset(k) + i] -= scale * gradient[k] * x[i];
      }
    }
  }
  return plain;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-5) << "weight " << i;
}

class SoftmaxTeamThreads : public ::testing::TestWithParam<bool> {
 protected:
  SoftmaxTeamThreads()
      : data_(options()),
        layout_(BlockLayout::flat(kClasses, kRowWidth, kDimension)),
        weights_(layout_.size(), 0.0F) {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i <= kDimension; ++i) {
        weights_[layout_.offset(k) + i] =
            0.5F * static_cast<float>(random.normal(k, static_cast<std::uint32_t>(i)));
      }
    }
    std::vector<float> example_weights(30, 1.0F);
    example_weights[3] = 0.0F;
    example_weights[4] = 2.5F;
    data_.set_weights(example_weights);
    for (std::uint32_t e = 2; e < 21; ++e) examples_.push_back(e);
  }
  static testing::SmallDataOptions options() {
    testing::SmallDataOptions options;
    options.classes = kClasses;
    options.examples = 30;
    options.dimension = kDimension;
    options.sparse = GetParam();
    return options;
  }

  struct Result {
    StepStats totals;
    std::vector<float> weights;
    std::vector<std::vector<std::uint32_t>> batches;
  };

  /// Learns batches of these sizes, one after the other.
  Result learn(const std::vector<std::size_t>& sizes, SoftmaxTeam::Rules rules, int threads) {
    Result result = {{}, weights_, {}};
    std::size_t used = 0;
    for (const std::size_t size : sizes) {
      result.batches.emplace_back(examples_.begin() + static_cast<std::ptrdiff_t>(used),
                                  examples_.begin() + static_cast<std::ptrdiff_t>(used + size));
      used += size;
    }
    const DatasetView view = data_.view();
    SoftmaxTeam team(view, layout_, rules, *std::max_element(sizes.begin(), sizes.end()),
                     result.weights.data());
    ThreadPool pool(threads);
    team.run(0, sizes.size(),
             {.batch = [&](std::uint64_t batch) -> std::span<const std::uint32_t> {
                return result.batches[batch];
              },
              .rate = [](std::uint64_t) { return kRate; },
              .go_on = [] { return true; },
              .learned = [&](const StepStats& stats) { result.totals.add(stats); }},
             pool);
    return result;
  }

  static constexpr float kRate = 0.25F;
  SmallData data_;
  BlockLayout layout_;
  std::vector<float> weights_;
  std::vector<std::uint32_t> examples_;
};

TEST_P(SoftmaxTeamThreads, EqualsTheGenericWayAndAPlainLoop) {
  const DatasetView view = data_.view();
  const FlatScorer scorer(kClasses, layout_, weights_.data());
  const AllSelector selector(scorer);
  UniformNoise noise(kClasses);
  const CounterRandom random(1, RandomPurpose::kNoise);
  for (const float clip : {0.0F, 1.5F}) {
    const Result team = learn({examples_.size()}, {.clip = clip}, 3);
    ShortlistStep generic({.data = &view,
                           .encoder = {},
                           .scorer = &scorer,
                           .exclude_label = false,
                           .beam = kClasses,
                           .candidates = kClasses,
                           .noises = 0},
                          {selector.make_worker(), &noise}, Method::kSoftmax, clip,
                          std::make_unique<FlatGradient>(layout_), std::nullopt);
    const StepStats generic_totals = generic.compute(examples_, random);
    const PlainSoftmax plain =
        plain_softmax(view, examples_, layout_, weights_, static_cast<double>(clip));

    EXPECT_NEAR(team.totals.loss, plain.loss, 1e-4);
    EXPECT_NEAR(generic_totals.loss, plain.loss, 1e-4);
    EXPECT_EQ(team.totals.weight, 19.0 - 1.0 + 1.5);
    EXPECT_EQ(team.totals.weight, generic_totals.weight);
    EXPECT_EQ(team.totals.examples, generic_totals.examples);
    EXPECT_EQ(team.totals.covered, team.totals.examples);
    EXPECT_EQ(team.totals.rows_scored, 19U * kClasses);
    std::vector<double> steps;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      steps.push_back(static_cast<double>((team.weights[i] - weights_[i]) / kRate));
    }
    expect_near(steps, plain.steps);
    ASSERT_EQ(generic.gradients().size(), 1U);
    expect_near(testing::dense_steps(generic.gradients()[0], layout_), plain.steps);
  }
}

TEST_P(SoftmaxTeamThreads, GivesTheSameBitsOnAnyNumberOfThreads) {
  const SoftmaxTeam::Rules rules = {.clip = 1.5F, .l2 = 0.01F};
  const Result alone = learn({5, 1, 7, 5, 1}, rules, 1);
  for (const int threads : {2, 3, 8}) {
    const Result team = learn({5, 1, 7, 5, 1}, rules, threads);
    EXPECT_EQ(team.weights, alone.weights) << threads;
    EXPECT_EQ(team.totals.loss, alone.totals.loss) << threads;
  }
}

TEST_P(SoftmaxTeamThreads, DecaysAllWeightsForEachExample) {
  std::ranges::fill(examples_, 3U);  // has weight zero, so its gradient is zero, too
  const Result team = learn({6}, {.l2 = 0.5F}, 2);
  const float factor = std::pow(1.0F - 0.5F * kRate, 6.0F);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    ASSERT_NEAR(team.weights[i], factor * weights_[i], 1e-6F);
  }
}

TEST_P(SoftmaxTeamThreads, EndsAfterTheBatchThatIsToBeTheLast) {
  const DatasetView view = data_.view();
  SoftmaxTeam team(view, layout_, {}, 2, weights_.data());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    int asked = 0;
    std::uint64_t learned = 0;
    team.run(
        0, 9,
        {.batch = [&](std::uint64_t batch) { return std::span(examples_).subspan(2 * batch, 2); },
         .rate = [](std::uint64_t) { return kRate; },
         .go_on = [&] { return ++asked < 4; },
         .learned = [&](const StepStats&) { ++learned; }},
        pool);
    EXPECT_EQ(learned, 4U);
  }
}

TEST_P(SoftmaxTeamThreads, ThrowsWhatTheCallerThrows) {
  const DatasetView view = data_.view();
  SoftmaxTeam team(view, layout_, {}, 2, weights_.data());
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto run = [&] {
      team.run(
          0, 9,
          {.batch = [&](std::uint64_t batch) { return std::span(examples_).subspan(2 * batch, 2); },
           .rate = [](std::uint64_t) { return kRate; },
           .go_on = [] { return true; },
           .learned = [](const StepStats&) { throw std::runtime_error("enough"); }},
          pool);
    };
    EXPECT_THROW(run(), std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, SoftmaxTeamThreads, ::testing::Bool());

}  // namespace CANE_THIS_FILE
}  // namespace cane
