#include "search/frequency_selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/tree/frequency_tree.h"
#include "support/chi_square.h"
#include "support/random_model.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::RandomModel;

// Subsets of one class, of a few, and of many.
ClassTree subsets() {
  std::vector<double> counts(40, 1.0);
  counts[17] = 40.0;
  counts[3] = 20.0;
  counts[30] = 10.0;
  counts[8] = 10.0;
  return frequency_tree(counts, 4);
}

struct Fixture {
  Fixture() : model(subsets(), 6, 24, false), scorer(model.scorer()), selector(scorer) {}

  Selection select(std::span<const RowView> rows, std::span<const std::uint32_t> numbers,
                   std::uint32_t keep, std::uint64_t seed = 1, std::uint32_t epoch = 0) const {
    Selection selection;
    const CounterRandom random(seed, RandomPurpose::kNoise, epoch);
    selector.make_worker()->select(rows, {random, numbers}, keep, keep, selection);
    return selection;
  }

  // By the plain scores of the edges below the root.
  std::set<ClassId> best_subset(std::size_t e) const {
    const ClassTree& tree = model.tree;
    NodeId best = tree.first_child(0);
    for (std::uint32_t c = 1; c < tree.child_count(0); ++c) {
      const NodeId node = tree.first_child(0) + c;
      if (model.plain_edge(model.rows[e], node) > model.plain_edge(model.rows[e], best)) {
        best = node;
      }
    }
    std::set<ClassId> members;
    for (ClassId k = 0; k < tree.class_count(); ++k) {
      const NodeId leaf = tree.leaf_of(k);
      if (leaf == best || tree.parent(leaf) == best) members.insert(k);
    }
    return members;
  }

  RandomModel model;
  TreeScorer scorer;
  FrequencySelector selector;
};

std::vector<ClassId> labels_of(std::span<const Candidate> candidates) {
  std::vector<ClassId> labels;
  for (const Candidate& candidate : candidates) labels.push_back(candidate.class_id);
  return labels;
}

TEST(FrequencySelector, DrawsDistinctClassesOfTheBestSubset) {
  const Fixture fixture;
  std::vector<std::uint32_t> numbers(fixture.model.rows.size());
  for (std::uint32_t e = 0; e < numbers.size(); ++e) numbers[e] = 100 + e;
  std::set<std::size_t> sizes;
  for (const std::uint32_t keep : {1U, 3U, 10U, 100U}) {
    const Selection selection = fixture.select(fixture.model.rows, numbers, keep);
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      const std::set<ClassId> members = fixture.best_subset(e);
      sizes.insert(members.size());
      const auto found = selection.of(e);
      ASSERT_EQ(found.size(), std::min<std::size_t>(keep, members.size()));
      const auto labels = labels_of(found);
      const std::set<ClassId> distinct(labels.begin(), labels.end());
      EXPECT_EQ(distinct.size(), found.size());
      EXPECT_TRUE(std::ranges::includes(members, distinct));
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i].score, fixture.model.plain_score(fixture.model.rows[e], labels[i]),
                    1e-4);
        if (i > 0) {
          EXPECT_GE(found[i - 1].score, found[i].score);
        }
      }
    }
  }
  EXPECT_GT(sizes.size(), 2U);
  EXPECT_EQ(*sizes.begin(), 1U);
}

TEST(FrequencySelector, DrawsEverySetOfClassesEquallyOften) {
  const Fixture fixture;
  // An example whose best subset has so many members that 3 of them are not all.
  std::size_t example = 0;
  while (fixture.best_subset(example).size() < 5) ++example;
  const std::set<ClassId> members = fixture.best_subset(example);
  constexpr std::uint32_t kKeep = 2;
  const std::vector<RowView> rows(20000, fixture.model.rows[example]);
  std::vector<std::uint32_t> numbers(rows.size());
  for (std::uint32_t e = 0; e < numbers.size(); ++e) numbers[e] = e;
  const Selection selection = fixture.select(rows, numbers, kKeep);
  std::map<std::vector<ClassId>, double> sets;
  for (const ClassId a : members) {
    for (const ClassId b : members) {
      if (a < b) sets[{a, b}] = 0.0;
    }
  }
  const std::size_t possible = sets.size();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    auto labels = labels_of(selection.of(e));
    std::sort(labels.begin(), labels.end());
    sets[labels] += 1.0;
  }
  ASSERT_EQ(sets.size(), possible);
  std::vector<double> observed;
  for (const auto& [labels, count] : sets) observed.push_back(count);
  const std::vector<double> law(possible, 1.0 / static_cast<double>(possible));
  const testing::ChiSquare result = testing::chi_square(observed, law);
  EXPECT_LE(result.statistic, result.limit);
}

TEST(FrequencySelector, DrawsTheSameForTheSameNumbersWhateverTheBatch) {
  const Fixture fixture;
  std::vector<std::uint32_t> numbers(fixture.model.rows.size());
  for (std::uint32_t e = 0; e < numbers.size(); ++e) numbers[e] = 7 * e;
  const Selection together = fixture.select(fixture.model.rows, numbers, 3);
  std::size_t others = 0;
  for (std::size_t e = 0; e < numbers.size(); ++e) {
    const auto row = std::span(fixture.model.rows).subspan(e, 1);
    const auto alone = [&](std::uint32_t number, std::uint64_t seed, std::uint32_t epoch) {
      return labels_of(fixture.select(row, std::span(&number, 1), 3, seed, epoch).of(0));
    };
    const auto expected = labels_of(together.of(e));
    EXPECT_EQ(alone(numbers[e], 1, 0), expected);
    others += alone(numbers[e] + 1, 1, 0) != expected ? 1 : 0;
    others += alone(numbers[e], 2, 0) != expected ? 1 : 0;
    others += alone(numbers[e], 1, 1) != expected ? 1 : 0;
  }
  EXPECT_GT(others, 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
