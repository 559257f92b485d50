// Labels: threads
#include "train/clusters/recursive_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/random.h"
#include "core/tree/balanced_tree.h"
#include "data/synth/synth_law.h"

namespace cane {
namespace CANE_THIS_FILE {

// Dense rows with labels, and the same rows sparse.
struct Data {
  FeatureId dimension = 0;
  std::vector<float> matrix;
  std::vector<ClassId> labels;
  std::vector<float> weights;
  std::vector<std::uint64_t> offsets;
  std::vector<FeatureId> indices;
  std::vector<float> values;

  void make_sparse() {
    offsets = {0};
    for (std::size_t row = 0; row < labels.size(); ++row) {
      for (FeatureId feature = 0; feature < dimension; ++feature) {
        const float value = matrix[row * dimension + feature];
        if (value == 0.0F) continue;
        indices.push_back(feature);
        values.push_back(value);
      }
      offsets.push_back(indices.size());
    }
  }
  DatasetView dense() const {
    DatasetView::Dense features;
    features.matrix = reinterpret_cast<const std::byte*>(matrix.data());
    return {features, dimension, labels, weights};
  }
  DatasetView sparse() const {
    return {DatasetView::Sparse{offsets, indices.data(), values.data()}, dimension, labels,
            weights};
  }
};

// Class k belongs to group k % groups; groups lie far apart, the classes of a group near each
// other.
Data planted(std::uint32_t classes, std::uint32_t groups, FeatureId dimension, double spread) {
  const CounterRandom random(11, RandomPurpose::kSynthetic);
  Data data;
  data.dimension = dimension;
  for (std::uint32_t example = 0; example < 3 * classes; ++example) {
    const std::uint32_t label = (example * 7U) % classes;
    data.labels.push_back(label);
    data.weights.push_back(static_cast<float>(1 + example % 3));
    for (FeatureId feature = 0; feature < dimension; ++feature) {
      // Half of the features of a group are zero, as in sparse data.
      const double centre = random.normal(label % groups, 3 * feature);
      const double offset = spread * random.normal(label, 3 * feature + 1);
      const double value = centre + offset + 0.01 * random.normal(example, 3 * feature + 2);
      data.matrix.push_back(centre > 0.0 ? static_cast<float>(value) : 0.0F);
    }
  }
  data.make_sparse();
  return data;
}

ClassCentres centres_of(const DatasetView& data, std::uint32_t classes, int threads = 1) {
  ThreadPool pool(threads);
  return {data, classes, pool};
}

std::vector<ClassId> ordered(const DatasetView& data, std::uint32_t classes, std::uint32_t arity,
                             int threads = 1, std::uint64_t seed = 1) {
  ThreadPool pool(threads);
  return clustered_order({data, classes, pool}, arity, seed, pool);
}

bool is_permutation_of_classes(std::vector<ClassId> order) {
  std::ranges::sort(order);
  return order == class_order(static_cast<std::uint32_t>(order.size()));
}

TEST(ClassCentres, AreWeightedMeansOfTheExamples) {
  Data data;
  data.dimension = 3;
  data.matrix = {1, 0, 2, /**/ 3, 0, 0, /**/ 5, 6, 7, /**/ 9, 9, 9};
  data.labels = {1, 1, 0, kUnknownClass};
  data.weights = {1, 3, 2, 1};
  data.make_sparse();
  const ClassCentres dense = centres_of(data.dense(), 3);
  EXPECT_EQ(std::vector(dense.row(0).values, dense.row(0).values + 3),
            (std::vector<float>{5, 6, 7}));
  EXPECT_EQ(std::vector(dense.row(1).values, dense.row(1).values + 3),
            (std::vector<float>{2.5F, 0, 0.5F}));
  EXPECT_EQ(std::vector(dense.row(2).values, dense.row(2).values + 3),
            (std::vector<float>{0, 0, 0}));
  const ClassCentres sparse = centres_of(data.sparse(), 3);
  ASSERT_EQ(sparse.row(1).count, 2U);
  EXPECT_EQ(sparse.row(1).indices[1], 2U);
  EXPECT_EQ(sparse.row(1).values[0], 2.5F);
  EXPECT_EQ(sparse.row(1).values[1], 0.5F);
  EXPECT_EQ(sparse.row(2).count, 0U);
}

TEST(ClassCentres, AreZeroWhenAllWeightsAre) {
  Data data;
  data.dimension = 1;
  data.matrix = {4, 4};
  data.labels = {0, 1};
  data.weights = {0, 1};
  EXPECT_EQ(centres_of(data.dense(), 2).row(0).values[0], 0.0F);
}

TEST(ClusteredOrder, KeepsPlantedGroupsTogether) {
  const std::uint32_t classes = 240;
  for (const std::uint32_t arity : {2U, 8U, 12U, 100U}) {
    const Data data = planted(classes, 12, 30, 0.05);
    const auto order = ordered(data.dense(), classes, arity);
    ASSERT_TRUE(is_permutation_of_classes(order));
    int changes = 0;
    for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] % 12 != order[i - 1] % 12;
    EXPECT_EQ(changes, 11) << "arity " << arity;
  }
}

TEST(ClusteredOrder, FindsTheHierarchyOfSyntheticData) {
  SynthOptions options;
  options.classes = 1000;
  options.examples = 5000;
  options.dimension = 16;
  options.noise = 0.3;
  ThreadPool pool(1);
  const SynthLaw law(options, pool);
  Data data;
  data.dimension = options.dimension;
  std::vector<float> row(options.dimension);
  for (std::uint64_t example = 0; example < options.examples; ++example) {
    const ClassId label = law.label(SynthSplit::kTrain, example);
    data.labels.push_back(label);
    law.features(SynthSplit::kTrain, example, label, row);
    data.matrix.insert(data.matrix.end(), row.begin(), row.end());
  }
  const auto order = ordered(data.dense(), options.classes, 16);
  // How often neighbours belong to one group of ten, or of a hundred: 1% and 10% by chance, 90%
  // and 99% at best.
  int tens = 0;
  int hundreds = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    tens += law.place(order[i]) / 10 == law.place(order[i - 1]) / 10 ? 1 : 0;
    hundreds += law.place(order[i]) / 100 == law.place(order[i - 1]) / 100 ? 1 : 0;
  }
  EXPECT_GT(tens, 700);
  EXPECT_GT(hundreds, 950);
}

TEST(ClusteredOrder, PutsSimilarClustersSideBySide) {
  // Classes on a line, in an order that the labels hide: the chain must walk along the line.
  Data data;
  data.dimension = 1;
  for (std::uint32_t label = 0; label < 64; ++label) {
    data.labels.push_back(label);
    data.matrix.push_back(static_cast<float>((label * 37) % 64));
  }
  const auto order = ordered(data.dense(), 64, 64);
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_EQ(std::abs(data.matrix[order[i]] - data.matrix[order[i - 1]]), 1.0F);
  }
}

TEST(ClusteredOrder, IsTheSameForSparseAndDenseData) {
  const Data data = planted(300, 10, 40, 0.5);
  for (const std::uint32_t arity : {2U, 3U, 16U}) {
    EXPECT_EQ(ordered(data.dense(), 300, arity), ordered(data.sparse(), 300, arity));
  }
}

TEST(ClusteredOrder, DependsOnTheSeedOnly) {
  const Data data = planted(300, 10, 10, 1.0);
  EXPECT_EQ(ordered(data.dense(), 300, 4, 1, 5), ordered(data.dense(), 300, 4, 1, 5));
  EXPECT_NE(ordered(data.dense(), 300, 4, 1, 5), ordered(data.dense(), 300, 4, 1, 6));
}

TEST(ClusteredOrderThreads, IsTheSameForAnyNumberOfThreads) {
  // Enough classes that the first sets are split by all threads together.
  const Data data = planted(2500, 40, 16, 0.3);
  for (const bool sparse : {false, true}) {
    const DatasetView view = sparse ? data.sparse() : data.dense();
    const auto order = ordered(view, 2500, 5, 1);
    ASSERT_TRUE(is_permutation_of_classes(order));
    for (const int threads : {2, 4}) EXPECT_EQ(ordered(view, 2500, 5, threads), order);
  }
}

TEST(ClusteredOrder, LeavesEqualCentresInClassOrder) {
  Data data;
  data.dimension = 4;
  for (ClassId label = 0; label < 500; ++label) {
    data.labels.push_back(label);
    for (int feature = 0; feature < 4; ++feature) data.matrix.push_back(0.1F);
  }
  data.make_sparse();
  for (const std::uint32_t arity : {2U, 16U}) {
    EXPECT_EQ(ordered(data.dense(), 500, arity), class_order(500));
    EXPECT_EQ(ordered(data.sparse(), 500, arity), class_order(500));
  }
}

TEST(ClusteredOrder, EndsWithDuplicatesOutliersAndClassesWithoutExamples) {
  Data data;
  data.dimension = 2;
  for (ClassId label = 0; label < 400; ++label) {
    data.labels.push_back(label);
    // Outliers that split off one by one, duplicates, and values near the limits of float.
    data.matrix.push_back(label % 4 == 0 ? std::ldexp(1.0F, static_cast<int>(label) / 2 - 100)
                                         : 0.0F);
    data.matrix.push_back(label % 4 == 1 ? -1.0F : 0.0F);
  }
  data.make_sparse();
  for (const std::uint32_t arity : {2U, 3U, 16U}) {
    EXPECT_TRUE(is_permutation_of_classes(ordered(data.dense(), 450, arity)));
    EXPECT_TRUE(is_permutation_of_classes(ordered(data.sparse(), 450, arity)));
  }
  Data nothing;
  nothing.dimension = 3;
  nothing.offsets = {0};
  EXPECT_EQ(ordered(nothing.sparse(), 40, 4), class_order(40));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
