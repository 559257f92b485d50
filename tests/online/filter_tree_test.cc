#include "online/filter_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

// Weights of the matches of a tree, over rows with `dimension` features.
struct Matches {
  Matches(const ClassTree& classes, FeatureId dimension)
      : tree(RoutingTree::of(classes)),
        layout(BlockLayout::flat(tree.inner_count(), 1, dimension)) {
    weights.assign(layout.size(), 0.0F);
    squares.assign(std::size_t{tree.inner_count()} * (std::size_t{dimension} + 1), 0.0F);
  }
  RowLearner learner() { return {layout, weights.data(), squares.data()}; }
  RowScorer scorer() const { return {layout, weights.data()}; }
  float* row(NodeId match) { return weights.data() + layout.offset(tree.row(match)); }

  RoutingTree tree;
  BlockLayout layout;
  std::vector<float> weights;
  std::vector<float> squares;
};

// The classifier of every match is perfect: feature k speaks for the side on which class k is.
void make_perfect(const ClassTree& classes, Matches& matches) {
  for (ClassId label = 0; label < classes.class_count(); ++label) {
    for (NodeId node = classes.leaf_of(label); node != 0; node = classes.parent(node)) {
      const NodeId match = classes.parent(node);
      matches.row(match)[label] = matches.tree.child(match, true) == node ? 1.0F : -1.0F;
    }
  }
}

TEST(FilterTree, FindsTheBestClassWithPerfectMatchesInEveryOrderOfTheLeaves) {
  for (std::uint32_t count = 2; count <= 5; ++count) {
    std::vector<ClassId> order(count);
    std::iota(order.begin(), order.end(), ClassId{0});
    do {
      const ClassTree classes = balanced_tree(order, 2);
      Matches matches(classes, count);
      make_perfect(classes, matches);
      const FilterTreeClassifier classifier(classes, matches.scorer());
      for (ClassId best = 0; best < count; ++best) {
        std::vector<float> values(count, 0.0F);
        values[best] = 1.0F;
        std::vector<Candidate> found;
        classifier.look({nullptr, values.data(), count}, 1, found);
        ASSERT_EQ(found.size(), 1U);
        ASSERT_EQ(found[0].class_id, best);
        ASSERT_EQ(found[0].score, 0.0F);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

struct RandomMatches {
  explicit RandomMatches(std::uint32_t count, FeatureId dimension)
      : classes(balanced_tree(class_order(count), 2)), matches(classes, dimension) {
    const CounterRandom random(9, RandomPurpose::kSynthetic);
    for (std::size_t i = 0; i < matches.weights.size(); ++i) {
      matches.weights[i] = static_cast<float>(0.3 * random.normal(i, 0));
    }
  }
  ClassTree classes;
  Matches matches;
};

TEST(FilterTree, AMatchNeverLearnsFromAnExampleWhoseClassLostBelow) {
  testing::SmallDataOptions options;
  options.examples = 300;
  options.classes = 13;
  const testing::SmallData data(options);
  const DatasetView view = data.view();
  RandomMatches problem(13, view.dimension());
  Matches& matches = problem.matches;
  const std::vector<float> scales(view.dimension(), 1.0F);
  FilterTreeLearner learner({&view, {}, scales, true}, problem.classes, matches.learner());
  OnlineLearner::Scratch scratch(learner);
  const CounterRandom random(1, RandomPurpose::kNoise);
  std::size_t lost_below = 0;
  for (std::uint32_t example = 0; example < view.size(); ++example) {
    const std::vector<float> before = matches.weights;
    std::vector<float> values(view.dimension());
    const RowView row = view.row(example, values);
    learner.learn(std::span(&example, 1), 0.3F, random, scratch);
    bool won = true;
    std::vector<bool> may_change(matches.tree.inner_count(), false);
    for (NodeId node = problem.classes.leaf_of(view.label(example)); node != 0;) {
      const NodeId match = matches.tree.parent(node);
      may_change[matches.tree.row(match)] = won;
      lost_below += won ? 0 : 1;
      const float margin =
          RowScorer(matches.layout, before.data()).score(matches.tree.row(match), row);
      won = won && matches.tree.child(match, margin >= 0.0F) == node;
      node = match;
    }
    for (std::uint32_t number = 0; number < matches.tree.inner_count(); ++number) {
      const std::size_t begin = matches.layout.offset(number);
      const bool changed =
          !std::equal(before.begin() + static_cast<std::ptrdiff_t>(begin),
                      before.begin() + static_cast<std::ptrdiff_t>(begin + matches.layout.pitch()),
                      matches.weights.begin() + static_cast<std::ptrdiff_t>(begin));
      ASSERT_TRUE(may_change[number] || !changed) << "example " << example << ", row " << number;
    }
  }
  EXPECT_GT(lost_below, 30U);
}

TEST(FilterTree, RanksAllClassesByTheDecisionsAgainstThem) {
  constexpr std::uint32_t kClasses = 21;
  constexpr FeatureId kDimension = 6;
  const RandomMatches problem(kClasses, kDimension);
  const FilterTreeClassifier classifier(problem.classes, problem.matches.scorer());
  const CounterRandom random(10, RandomPurpose::kSynthetic);
  std::vector<ClassId> all(kClasses);
  std::iota(all.begin(), all.end(), ClassId{0});
  for (std::uint64_t example = 0; example < 50; ++example) {
    std::vector<float> values;
    for (FeatureId i = 0; i < kDimension; ++i) {
      values.push_back(static_cast<float>(random.normal(example, i)));
    }
    const RowView row = {nullptr, values.data(), kDimension};
    std::vector<float> scores(kClasses);
    classifier.score(row, all, scores.data());
    std::vector<Candidate> expected;
    for (const ClassId label : all) expected.push_back({label, scores[label]});
    std::sort(expected.begin(), expected.end(),
              [](const Candidate& a, const Candidate& b) { return is_better(a, b); });
    for (const std::uint32_t keep : {1U, 2U, 5U, kClasses}) {
      std::vector<Candidate> found;
      const std::uint64_t scored = classifier.look(row, keep, found);
      ASSERT_EQ(found.size(), keep);
      if (keep == 1) {
        EXPECT_LE(scored, 5U);
      }
      for (std::uint32_t i = 0; i < keep; ++i) {
        EXPECT_EQ(found[i].class_id, expected[i].class_id);
        EXPECT_EQ(found[i].score, expected[i].score);
      }
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
