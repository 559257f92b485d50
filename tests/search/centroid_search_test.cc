// Labels: threads
#include "search/centroid_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 700;
constexpr FeatureId kDimension = 24;

// Class vectors in groups of ten neighbours, and queries near some of them.
class CentroidSearchThreads : public ::testing::Test {
 protected:
  CentroidSearchThreads()
      : tree_(balanced_tree(class_order(kClasses), 9)), index_(tree_, kDimension) {
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::uint32_t i = 0; i < kDimension; ++i) {
        rows_.push_back(
            static_cast<float>(3.0 * random_.normal(k / 10, i) + random_.normal(kClasses + k, i)));
      }
      float square = 0.0F;
      for (std::size_t i = 0; i < kDimension; ++i) square += row(k)[i] * row(k)[i];
      rows_.push_back(-0.5F * square);
    }
    index_.build(copy(), nullptr);
    for (std::uint32_t e = 0; e < 50; ++e) {
      std::vector<float> x(row(e * 14), row(e * 14) + kDimension);
      for (std::uint32_t i = 0; i < kDimension; ++i) {
        x[i] += static_cast<float>(0.5 * random_.normal(5000 + e, i));
      }
      queries_.push_back(std::move(x));
    }
    for (const auto& x : queries_) views_.push_back({nullptr, x.data(), kDimension});
  }

  const float* row(ClassId k) const { return rows_.data() + k * (kDimension + std::size_t{1}); }
  CentroidIndex::ClassRow copy() const {
    return [this](ClassId k, std::span<float> to) { std::copy_n(row(k), to.size(), to.begin()); };
  }
  ClassId best(std::size_t e) const {
    std::vector<float> scores(kClasses);
    for (ClassId k = 0; k < kClasses; ++k) {
      scores[k] =
          std::inner_product(queries_[e].begin(), queries_[e].end(), row(k), row(k)[kDimension]);
    }
    return static_cast<ClassId>(std::ranges::max_element(scores) - scores.begin());
  }
  std::size_t hits(const ClassLists& found) const {
    std::size_t count = 0;
    for (std::size_t e = 0; e < views_.size(); ++e) {
      count += std::ranges::count(found.of(e), best(e)) > 0 ? 1U : 0U;
    }
    return count;
  }

  CounterRandom random_{7, RandomPurpose::kSynthetic};
  ClassTree tree_;
  CentroidIndex index_;
  std::vector<float> rows_;
  std::vector<std::vector<float>> queries_;
  std::vector<RowView> views_;
};

TEST_F(CentroidSearchThreads, FindsTheBestClassAtFullWidth) {
  CentroidSearch search(index_);
  ClassLists found;
  const std::uint64_t scored = search.search(views_, kClasses, 3, {}, found);
  EXPECT_EQ(scored, views_.size() * (tree_.node_count() - 1));
  EXPECT_EQ(found.classes.size(), views_.size() * 3);
  EXPECT_EQ(hits(found), views_.size());
}

TEST_F(CentroidSearchThreads, FindsAllClassesWhereAsManyAreWanted) {
  CentroidSearch search(index_);
  ClassLists found;
  search.search(std::span(views_).first(1), kClasses, 2 * kClasses, {}, found);
  std::vector<ClassId> all = found.classes;
  std::ranges::sort(all);
  EXPECT_EQ(all, class_order(kClasses));
}

TEST_F(CentroidSearchThreads, ScoresFewerNodesWithinMargins) {
  CentroidSearch search(index_);
  ClassLists wide;
  const std::uint64_t all = search.search(views_, 20, 20, {}, wide);
  std::vector<std::vector<CentroidSearch::Gap>> gaps(4);
  search.measure_gaps(gaps);
  std::vector<float> margins(4, 0.0F);
  for (std::size_t level = 0; level < gaps.size(); ++level) {
    for (const auto& gap : gaps[level]) {
      EXPECT_GE(gap.behind, 0.0F);
      if (gap.weight > 0.01F) margins[level] = std::max(margins[level], gap.behind);
    }
  }
  ClassLists narrow;
  const std::uint64_t few = search.search(views_, 20, 20, margins, narrow);
  EXPECT_LT(few, all * 2 / 3);
  EXPECT_GE(hits(narrow), hits(wide) - 1);
  ClassLists greedy;
  EXPECT_LT(search.search(views_, 20, 1, std::vector<float>(4, 0.0F), greedy), few);
  EXPECT_EQ(greedy.classes.size(), views_.size());
}

TEST_F(CentroidSearchThreads, FindsTheSameForAnExampleInAnyBatch) {
  CentroidSearch search(index_);
  ClassLists together;
  search.search(views_, 5, 5, {}, together);
  for (std::size_t e = 0; e < views_.size(); ++e) {
    ClassLists alone;
    search.search(std::span(views_).subspan(e, 1), 5, 5, {}, alone);
    EXPECT_TRUE(std::ranges::equal(alone.of(0), together.of(e)));
  }
}

TEST_F(CentroidSearchThreads, IsBuiltTheSameByAnyNumberOfThreads) {
  ThreadPool pool(3);
  CentroidIndex other(tree_, kDimension);
  other.build(copy(), &pool);
  const std::vector<float> factors(3, 0.01F);
  other.add_spreads(factors, &pool);
  index_.add_spreads(factors, nullptr);
  CentroidSearch one(index_);
  CentroidSearch many(other);
  ClassLists found;
  ClassLists also;
  one.search(views_, 5, 5, {}, found);
  many.search(views_, 5, 5, {}, also);
  EXPECT_EQ(found.classes, also.classes);
}

// What is added to nodes is taken away again from their leaves: a search at full width is the same.
TEST_F(CentroidSearchThreads, AddsSpreadsToInnerNodesOnly) {
  CentroidSearch search(index_);
  ClassLists before;
  search.search(views_, kClasses, 5, {}, before);
  index_.add_spreads(std::vector<float>(3, 0.01F), nullptr);
  ClassLists after;
  search.search(views_, kClasses, 5, {}, after);
  EXPECT_EQ(before.classes, after.classes);
  EXPECT_GT(index_.spread(1), 0.0F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
