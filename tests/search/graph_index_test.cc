// Labels: threads
#include "search/graph_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <thread>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

// Class vectors of differing length around a common one, a bias at the end of each row.
struct Vectors {
  ClassId classes;
  FeatureId dimension;
  std::vector<float> matrix;

  Vectors(ClassId class_count, FeatureId features)
      : classes(class_count), dimension(features), matrix(class_count * row_size()) {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (std::size_t label = 0; label < classes; ++label) {
      const double length = std::exp(0.3 * random.normal(label, dimension + 1));
      for (std::uint32_t i = 0; i <= dimension; ++i) {
        const double common = random.normal(classes, i);
        row(label)[i] = static_cast<float>(common + length * random.normal(label, i));
      }
    }
  }

  std::size_t row_size() const { return dimension + std::size_t{1}; }
  float* row(std::size_t label) { return matrix.data() + label * row_size(); }
  const float* row(std::size_t label) const { return matrix.data() + label * row_size(); }

  GraphIndex::Rows rows() const {
    return [this](ClassId label, std::span<float> to) {
      ASSERT_EQ(to.size(), row_size());
      std::copy_n(row(label), row_size(), to.begin());
    };
  }
  GraphIndex index(ThreadPool* pool = nullptr) const { return {rows(), classes, dimension, pool}; }

  double score(ClassId label, std::span<const float> query) const {
    return std::inner_product(query.begin(), query.end(), row(label),
                              static_cast<double>(row(label)[dimension]));
  }

  std::vector<ClassId> best(std::span<const float> query, std::size_t count) const {
    std::vector<ClassId> order(classes);
    std::iota(order.begin(), order.end(), ClassId{0});
    std::ranges::sort(order, std::ranges::greater(),
                      [&](ClassId label) { return score(label, query); });
    order.resize(std::min(count, order.size()));
    return order;
  }

  std::vector<float> query(std::uint32_t number) const {
    const CounterRandom random(4, RandomPurpose::kSynthetic);
    std::vector<float> result(dimension);
    for (std::uint32_t i = 0; i < dimension; ++i) {
      result[i] = static_cast<float>(random.normal(number, i));
    }
    return result;
  }

  // The share of the `count` best that the index finds, over some queries.
  double recall(const GraphIndex& index, std::size_t count, std::size_t width) const {
    constexpr std::uint32_t kQueries = 100;
    GraphIndex::Scratch scratch;
    std::vector<ClassId> found;
    std::size_t hits = 0;
    for (std::uint32_t number = 0; number < kQueries; ++number) {
      index.search(query(number), count, width, scratch, found);
      EXPECT_EQ(found.size(), count);
      const std::vector<ClassId> expected = best(query(number), count);
      for (const ClassId label : found) hits += std::ranges::count(expected, label) > 0 ? 1 : 0;
    }
    return static_cast<double>(hits) / static_cast<double>(kQueries * count);
  }
};

TEST(GraphIndex, FindsNearlyAllOfTheBestTen) {
  const Vectors vectors(2000, 16);
  EXPECT_GT(vectors.recall(vectors.index(), 10, 60), 0.95);
}

TEST(GraphIndex, FindsMoreTheWiderItLooks) {
  const Vectors vectors(2000, 16);
  const GraphIndex index = vectors.index();
  EXPECT_LT(vectors.recall(index, 10, 10), vectors.recall(index, 10, 100));
}

TEST(GraphIndex, GivesTheBestFirst) {
  const Vectors vectors(500, 20);
  const GraphIndex index = vectors.index();
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found;
  for (std::uint32_t number = 0; number < 20; ++number) {
    const std::vector<float> query = vectors.query(number);
    index.search(query, 10, 40, scratch, found);
    ASSERT_EQ(found.size(), 10U);
    for (std::size_t i = 1; i < found.size(); ++i) {
      EXPECT_GT(vectors.score(found[i - 1], query), vectors.score(found[i], query));
    }
  }
}

TEST(GraphIndex, IsExactWhenItLooksAtAllClasses) {
  const Vectors vectors(300, 7);
  const GraphIndex index = vectors.index();
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found;
  for (std::uint32_t number = 0; number < 20; ++number) {
    index.search(vectors.query(number), 5, vectors.classes, scratch, found);
    EXPECT_EQ(found, vectors.best(vectors.query(number), 5));
  }
}

TEST(GraphIndex, FindsTheOnlyClass) {
  const Vectors vectors(1, 5);
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found = {7, 7};
  vectors.index().search(vectors.query(0), 1, 1, scratch, found);
  EXPECT_EQ(found, std::vector<ClassId>{0});
}

TEST(GraphIndex, GivesAllClassesWhereMoreAreWanted) {
  const Vectors vectors(6, 5);
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found;
  vectors.index().search(vectors.query(0), 20, 20, scratch, found);
  EXPECT_EQ(found, vectors.best(vectors.query(0), 6));
}

TEST(GraphIndex, GivesDistinctClassesWhereAllVectorsAreEqual) {
  Vectors vectors(400, 5);
  std::ranges::fill(vectors.matrix, 0.0F);
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found;
  vectors.index().search(vectors.query(0), 10, 20, scratch, found);
  ASSERT_EQ(found.size(), 10U);
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
}

TEST(GraphIndex, FindsTheOthersAmongManyEqualVectors) {
  Vectors vectors(2000, 16);
  for (std::size_t label = 0; label < vectors.classes; ++label) {
    if (label % 4 == 0) continue;
    std::fill_n(vectors.row(label), vectors.dimension, 0.0F);
    vectors.row(label)[vectors.dimension] = -50.0F;  // never among the best
  }
  EXPECT_GT(vectors.recall(vectors.index(), 10, 60), 0.95);
}

TEST(GraphIndex, UsesOneScratchForIndexesOfAnySize) {
  const Vectors large(600, 9);
  const Vectors small(200, 4);
  const GraphIndex large_index = large.index();
  const GraphIndex small_index = small.index();
  GraphIndex::Scratch shared;
  std::vector<ClassId> found;
  std::vector<ClassId> expected;
  const auto check = [&](const Vectors& vectors, const GraphIndex& index, std::uint32_t number) {
    GraphIndex::Scratch fresh;
    index.search(vectors.query(number), 5, 20, shared, found);
    index.search(vectors.query(number), 5, 20, fresh, expected);
    EXPECT_EQ(found, expected);
  };
  for (std::uint32_t number = 0; number < 5; ++number) {
    check(small, small_index, number);
    check(large, large_index, number);
  }
}

TEST(GraphIndex, IsTheSameForTheSameVectors) {
  const Vectors vectors(1000, 16);
  const GraphIndex first = vectors.index();
  const GraphIndex second = vectors.index();
  GraphIndex::Scratch scratch;
  std::vector<ClassId> found;
  std::vector<ClassId> again;
  for (std::uint32_t number = 0; number < 50; ++number) {
    first.search(vectors.query(number), 10, 10, scratch, found);
    second.search(vectors.query(number), 10, 10, scratch, again);
    EXPECT_EQ(found, again);
  }
}

TEST(GraphIndexThreads, SearchesFromTwoThreads) {
  const Vectors vectors(400, 12);
  const GraphIndex index = vectors.index();
  constexpr std::uint32_t kQueries = 60;
  const auto search_all = [&] {
    GraphIndex::Scratch scratch;
    std::vector<std::vector<ClassId>> found(kQueries);
    for (std::uint32_t number = 0; number < kQueries; ++number) {
      index.search(vectors.query(number), 10, 10 + number, scratch, found[number]);
    }
    return found;
  };
  const auto expected = search_all();
  std::vector<std::vector<ClassId>> first;
  std::vector<std::vector<ClassId>> second;
  std::thread other([&] { second = search_all(); });
  first = search_all();
  other.join();
  EXPECT_EQ(first, expected);
  EXPECT_EQ(second, expected);
}

TEST(GraphIndexThreads, IsAsGoodWhenBuiltByThreeThreads) {
  const Vectors vectors(1000, 16);
  ThreadPool pool(3);
  EXPECT_GT(vectors.recall(vectors.index(&pool), 10, 60), 0.95);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
