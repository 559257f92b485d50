#include "search/selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

std::vector<ClassId> labels_of(std::span<const Candidate> candidates) {
  std::vector<ClassId> labels;
  for (const Candidate& candidate : candidates) labels.push_back(candidate.class_id);
  return labels;
}

TEST(Rerank, KeepsTheBestOfEveryListBestFirst) {
  ClassLists proposed;
  proposed.classes = {4, 1, 9};
  proposed.end_list();
  proposed.end_list();
  proposed.classes.push_back(7);
  proposed.end_list();
  proposed.classes.insert(proposed.classes.end(), {0, 5, 3});
  proposed.end_list();
  Selection selection;
  selection.clear();
  rerank(proposed, std::vector<float>{1, 3, 2, -1, 8, 9, 7}, 2, selection);
  ASSERT_EQ(selection.offsets, (std::vector<std::size_t>{0, 2, 2, 3, 5}));
  EXPECT_EQ(labels_of(selection.of(0)), (std::vector<ClassId>{1, 9}));
  EXPECT_EQ(labels_of(selection.of(2)), (std::vector<ClassId>{7}));
  EXPECT_EQ(labels_of(selection.of(3)), (std::vector<ClassId>{5, 0}));
  EXPECT_EQ(selection.of(3)[0].score, 9.0F);
}

TEST(Rerank, TakesTheLowerClassOnATieAndWhatIsNoNumberLast) {
  ClassLists proposed;
  proposed.classes = {2, 8, 6, 5, 1};
  proposed.end_list();
  const std::vector<float> scores = {NAN, 1.0F, 1.0F, -INFINITY, NAN};
  Selection selection;
  selection.clear();
  rerank(proposed, scores, 10, selection);
  EXPECT_EQ(labels_of(selection.of(0)), (std::vector<ClassId>{6, 8, 5, 1, 2}));
}

TEST(Rerank, EqualsSortingAListWhateverItsOrder) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  for (std::uint32_t trial = 0; trial < 20; ++trial) {
    ClassLists proposed;
    std::vector<float> scores;
    std::vector<Candidate> sorted;
    for (std::uint32_t i = 0; i < 12; ++i) {
      const std::uint64_t value = random.below(6, i, trial);
      proposed.classes.push_back((5 * i + trial) % 12);
      scores.push_back(value == 0 ? NAN : static_cast<float>(value));
      sorted.push_back({proposed.classes.back(), scores.back()});
    }
    proposed.end_list();
    std::ranges::sort(sorted, [](const Candidate& a, const Candidate& b) {
      if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
      return a.score > b.score || (!(a.score < b.score) && a.class_id < b.class_id);
    });
    for (const std::uint32_t keep : {1U, 2U, 5U, 11U, 12U, 13U}) {
      Selection selection;
      selection.clear();
      rerank(proposed, scores, keep, selection);
      const auto expected = labels_of(std::span(sorted).first(std::min(keep, 12U)));
      EXPECT_EQ(labels_of(selection.of(0)), expected) << "keep " << keep;
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
