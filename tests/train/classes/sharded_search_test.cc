#include "train/classes/sharded_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "search/proposal.h"
#include "support/chi_square.h"
#include "support/class_training.h"
#include "support/thread_ranks.h"

// Labels: threads

namespace cane {
namespace CANE_THIS_FILE {

using testing::ClassTraining;
using testing::SmallData;
using testing::SmallDataOptions;

constexpr std::uint32_t kClasses = 700;
constexpr std::uint32_t kCandidates = 7;
constexpr std::uint32_t kNoises = 3000;
constexpr std::uint32_t kExamples = 20;

SmallData some_data() {
  SmallDataOptions options;
  options.classes = kClasses;
  options.examples = 1500;
  options.dimension = 20;
  return SmallData(options);
}

TrainConfig some_config() {
  TrainConfig config;
  config.threads = 2;
  config.candidates = kCandidates;
  config.lr = 0.05F;
  return config;
}

// The shortlists of some examples, and what a plain loop over all classes says about them.
struct Fixture {
  Fixture(const SmallData& data, Communicator& ranks, std::uint32_t width)
      : training(data, some_config(), kClasses, ranks) {
    training.start();
    whole = training.whole();
    SearchRules rules = training.rules();
    rules.width = width;
    rules.merge.noises = kNoises;
    search.emplace(training.tables, training.state, rules, training.pool, ranks);
    std::iota(examples.begin(), examples.end(), 100U);
    // Every second label is one that the search will hardly find.
    for (const std::uint32_t example : examples) {
      const ClassId label = training.view.label(example);
      labels.push_back(example % 2 == 0 ? label : (label + kClasses / 2) % kClasses);
    }
    rows = gather.gather(training.view, std::span<const std::uint32_t>(examples));
    search->run(
        examples, labels,
        [&](std::size_t slice, std::span<const std::uint32_t> numbers) {
          return rows.subspan(slice * ShardedSearch::kSliceExamples, numbers.size());
        },
        CounterRandom(1, RandomPurpose::kNoise), false);
  }

  std::vector<double> plain_scores(std::size_t table, const RowView& row) const {
    const BlockLayout& layout = training.model.tables[table].layout;
    const std::uint32_t width = layout.widest_stride();
    std::vector<double> scores;
    for (ClassId k = 0; k < kClasses; ++k) {
      const float* column = whole[table].data() + layout.offset(k / width) + k % width;
      double score = static_cast<double>(column[std::size_t{layout.dimension()} * width]);
      for (std::size_t i = 0; i < row.count; ++i) {
        score += static_cast<double>(row.values[i]) * static_cast<double>(column[i * width]);
      }
      scores.push_back(score);
    }
    return scores;
  }

  /// q of every class outside the candidates, 0 for these.
  std::vector<double> plain_law(std::size_t example, std::span<const ClassId> candidates) {
    const Projection projection = {&training.model.tables[kProjectionTable].layout,
                                   WeightView(whole[kProjectionTable].data()),
                                   training.model.config.rank};
    const RowView input = projected.project(projection, rows.subspan(example, 1)).front();
    std::vector<double> law = plain_scores(proposal_table(training.model.config), input);
    const double best = *std::ranges::max_element(law);
    for (double& value : law) value = std::exp(value - best);
    for (const ClassId k : candidates) law[k] = 0.0;
    const double outside = std::accumulate(law.begin(), law.end(), 0.0);
    const double uniform = 1.0 / static_cast<double>(kClasses - candidates.size());
    for (double& value : law) {
      value = (1.0 - kNoiseFloor) * value / outside + kNoiseFloor * uniform;
    }
    for (const ClassId k : candidates) law[k] = 0.0;
    return law;
  }

  template <typename Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < search->slices(); ++i) {
      ShardedSearch::Slice& slice = search->slice(i);
      for (std::size_t e = 0; e < slice.examples.size(); ++e) {
        visit(slice.first + e, *slice.merged, e);
      }
    }
  }

  ClassTraining training;
  WeightTables whole;
  std::optional<ShardedSearch> search;
  std::vector<std::uint32_t> examples = std::vector<std::uint32_t>(kExamples);
  std::vector<ClassId> labels;
  RowGather gather;
  std::span<const RowView> rows;
  ProjectedRows projected;
};

TEST(ShardedSearch, FindsTheBestOfAllClassesIfItIsWideEnough) {
  const SmallData data = some_data();
  run_ranks(3, [&](Communicator& ranks) {
    Fixture fixture(data, ranks, kClasses);
    fixture.for_each([&](std::size_t example, const MergedSlice& merged, std::size_t e) {
      const std::vector<double> scores = fixture.plain_scores(kClassTable, fixture.rows[example]);
      std::vector<double> sorted = scores;
      std::ranges::sort(sorted, std::greater());
      ASSERT_EQ(merged.shortlist(e).candidates, kCandidates);
      for (std::uint32_t k = 0; k < kCandidates; ++k) {
        EXPECT_NEAR(scores[merged.classes(e)[k]], sorted[k], 1e-4);
      }
      for (std::size_t i = 0; i < merged.classes(e).size(); ++i) {
        EXPECT_NEAR(merged.scores(e)[i], scores[merged.classes(e)[i]], 1e-4);
      }
    });
  });
}

TEST(ShardedSearch, FindsNearlyAllOfThemWithTheUsualWidth) {
  const SmallData data = some_data();
  Communicator alone;
  Fixture wide(data, alone, kClasses);
  Fixture usual(data, alone, 3 * kCandidates);
  std::vector<std::vector<ClassId>> best(kExamples);
  wide.for_each([&](std::size_t example, const MergedSlice& merged, std::size_t e) {
    const auto candidates = merged.classes(e).first(kCandidates);
    best[example].assign(candidates.begin(), candidates.end());
  });
  std::size_t found = 0;
  usual.for_each([&](std::size_t example, const MergedSlice& merged, std::size_t e) {
    for (const ClassId k : merged.classes(e).first(kCandidates)) {
      found += static_cast<std::size_t>(std::ranges::count(best[example], k));
    }
  });
  EXPECT_GT(found, 9 * kExamples * kCandidates / 10);
}

TEST(ShardedSearch, NoisesHaveTheirExactProbabilities) {
  const SmallData data = some_data();
  Communicator alone;
  Fixture fixture(data, alone, 3 * kCandidates);
  std::uint32_t missed = 0;
  fixture.for_each([&](std::size_t example, const MergedSlice& merged, std::size_t e) {
    const Shortlist list = merged.shortlist(e);
    const auto classes = merged.classes(e);
    const std::vector<double> law = fixture.plain_law(example, classes.first(list.candidates));
    ASSERT_EQ(classes[list.label_at], fixture.labels[example]);
    const bool is_missed = list.label_at >= list.candidates;
    missed += is_missed ? 1 : 0;
    // A label that was not found is the only noise.
    ASSERT_EQ(list.noises, is_missed ? 1U : kNoises);
    std::vector<double> counts(kClasses, 0.0);
    for (std::uint32_t j = 0; j < list.noises; ++j) {
      const ClassId noise = classes[list.candidates + j];
      EXPECT_NEAR(list.log_q[j], std::log(law[noise]), 2e-4) << noise;
      counts[noise] += 1.0;
    }
    if (is_missed) return;
    const auto test = testing::chi_square(counts, law);
    EXPECT_LT(test.statistic, test.limit) << "example " << example;
  });
  EXPECT_GT(missed, 0U);
  EXPECT_LT(missed, kExamples);
}

TEST(ShardedSearch, TheGradientIsThatOfThePlainObjective) {
  const SmallData data = some_data();
  Communicator alone;
  Fixture fixture(data, alone, 3 * kCandidates);
  for (std::size_t i = 0; i < fixture.search->slices(); ++i) {
    ShardedSearch::Slice& slice = fixture.search->slice(i);
    slice.merged->differentiate(fixture.training.view, slice.rows);
  }
  fixture.for_each([&](std::size_t example, const MergedSlice& merged, std::size_t e) {
    const Shortlist list = merged.shortlist(e);
    const auto classes = merged.classes(e);
    const std::vector<double> scores = fixture.plain_scores(kClassTable, fixture.rows[example]);
    const std::vector<double> law = fixture.plain_law(example, classes.first(list.candidates));
    // Eqs. practice1 and practice2: each noise has a normaliser of its own.
    double inside = 0.0;
    for (std::uint32_t k = 0; k < list.candidates; ++k) inside += std::exp(scores[classes[k]]);
    std::vector<double> expected(kClasses, 0.0);
    for (std::uint32_t j = list.candidates; j < list.size(); ++j) {
      const double term = std::exp(scores[classes[j]]) / law[classes[j]];
      const double share = 1.0 / (list.noises * (inside + term));
      expected[classes[j]] += share * term;
      for (std::uint32_t k = 0; k < list.candidates; ++k) {
        expected[classes[k]] += share * std::exp(scores[classes[k]]);
      }
    }
    expected[fixture.labels[example]] -= 1.0;
    std::vector<double> found(kClasses, 0.0);
    const ShortlistSteps steps = merged.steps(e);
    EXPECT_EQ(steps.scale, 1.0F);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      found[classes[k]] += static_cast<double>(steps.gradient[k]);
    }
    for (ClassId k = 0; k < kClasses; ++k) EXPECT_NEAR(found[k], expected[k], 2e-3) << k;
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
