#include "candidates/rerank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cane {
namespace {

std::vector<ClassId> labels_of(std::span<const Candidate> candidates) {
  std::vector<ClassId> labels;
  for (const Candidate& candidate : candidates) labels.push_back(candidate.label);
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

}  // namespace
}  // namespace cane
