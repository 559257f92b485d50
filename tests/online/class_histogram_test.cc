#include "online/class_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

std::set<ClassId> top_of(const ClassHistogram& histogram) {
  std::set<ClassId> labels;
  for (const ClassHistogram::Top& top : histogram.top()) {
    EXPECT_EQ(histogram.entries()[top.place].label, top.label);
    EXPECT_EQ(histogram.entries()[top.place].count, top.count);
    labels.insert(top.label);
  }
  return labels;
}

// By sorting all of them.
std::set<ClassId> most_frequent(const std::map<ClassId, double>& counts, std::size_t most) {
  std::vector<std::pair<double, ClassId>> sorted;
  for (const auto& [label, count] : counts) sorted.emplace_back(-count, label);
  std::sort(sorted.begin(), sorted.end());
  std::set<ClassId> labels;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) labels.insert(sorted[i].second);
  return labels;
}

TEST(ClassHistogram, CountsWhatItIsGiven) {
  const CounterRandom random(1, RandomPurpose::kSynthetic);
  ClassHistogram histogram;
  std::map<ClassId, double> expected;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto label = static_cast<ClassId>(random.below(300, i, 0) * 7919);
    const double weight = 0.5 * static_cast<double>(1 + random.below(3, i, 1));
    histogram.add(label, weight, 0);
    expected[label] += weight;
  }
  ASSERT_EQ(histogram.entries().size(), expected.size());
  for (const auto& [label, count] : expected) EXPECT_EQ(histogram.count(label), count);
  EXPECT_EQ(histogram.find(1), nullptr);
  EXPECT_EQ(histogram.count(1), 0.0);
  EXPECT_TRUE(histogram.top().empty());
}

TEST(ClassHistogram, KnowsItsMostFrequentClassesAfterEveryExample) {
  constexpr std::size_t kMax = 5;
  const CounterRandom random(2, RandomPurpose::kSynthetic);
  ClassHistogram histogram;
  std::map<ClassId, double> counts;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto label = static_cast<ClassId>(random.below(1 + random.below(40, i, 1), i, 0));
    histogram.add(label, 1.0, kMax);
    counts[label] += 1.0;
    const std::set<ClassId> expected = most_frequent(counts, kMax);
    ASSERT_EQ(top_of(histogram), expected) << "after " << i + 1;
    double mass = 0.0;
    for (const ClassId other : expected) mass += counts[other];
    ASSERT_EQ(histogram.top_mass(), mass);
  }
  ClassHistogram ranked = histogram;
  ranked.rank(kMax);
  EXPECT_TRUE(std::equal(ranked.top().begin(), ranked.top().end(), histogram.top().begin(),
                         histogram.top().end(),
                         [](const auto& a, const auto& b) { return a.place == b.place; }));
}

TEST(ClassHistogram, ListsItsMostFrequentClassesInTheOrderOfTheClasses) {
  ClassHistogram histogram;
  for (const ClassId label : {9U, 3U, 7U, 3U, 9U, 1U}) histogram.add(label, 1.0, 3);
  std::vector<ClassId> labels;
  for (const ClassHistogram::Top& top : histogram.top()) labels.push_back(top.label);
  // 1 and 7 came once each, and the lower one counts.
  EXPECT_EQ(labels, (std::vector<ClassId>{1, 3, 9}));
}

TEST(ClassHistogram, IsEmptyAgainOnceCleared) {
  ClassHistogram histogram;
  for (ClassId label = 0; label < 50; ++label) histogram.add(label, 1.0, 4);
  histogram.clear();
  EXPECT_TRUE(histogram.entries().empty());
  EXPECT_TRUE(histogram.top().empty());
  EXPECT_EQ(histogram.find(3), nullptr);
  histogram.add(3, 2.0, 4);
  EXPECT_EQ(histogram.count(3), 2.0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
