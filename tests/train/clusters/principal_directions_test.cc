// Labels: threads
#include "train/clusters/principal_directions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

// One example for each class, so that the example is the centre; dense, and the same rows sparse.
struct Centres {
  FeatureId dimension;
  std::vector<float> matrix;
  std::vector<ClassId> labels;
  std::vector<float> weights;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<FeatureId> indices;
  std::vector<float> values;

  Centres(std::uint32_t classes, FeatureId features) : dimension(features) {
    matrix.resize(std::size_t{classes} * dimension);
    for (ClassId label = 0; label < classes; ++label) {
      labels.push_back(label);
      weights.push_back(static_cast<float>(1 + label % 3));
    }
  }

  float& at(ClassId label, FeatureId feature) {
    return matrix[std::size_t{label} * dimension + feature];
  }
  ClassCentres dense(ThreadPool& pool) const {
    DatasetView::Dense features;
    features.matrix = reinterpret_cast<const std::byte*>(matrix.data());
    return {DatasetView(features, dimension, labels, {}), count(), pool};
  }
  ClassCentres sparse(ThreadPool& pool) {
    for (ClassId label = 0; label < count(); ++label) {
      for (FeatureId feature = 0; feature < dimension; ++feature) {
        if (at(label, feature) == 0.0F) continue;
        indices.push_back(feature);
        values.push_back(at(label, feature));
      }
      offsets.push_back(indices.size());
    }
    return {DatasetView(DatasetView::Sparse{offsets, indices.data(), values.data()}, dimension,
                        labels, {}),
            count(), pool};
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(labels.size()); }
};

// Direction j is the unit vector of feature 2 j + 1 turned a little towards feature 2 j + 2;
// standard deviations 8, 4, 2, ... along them, a little noise everywhere, and a mean far away.
float planted_loading(std::uint32_t direction, FeatureId feature) {
  if (feature == 2 * direction + 1) return 0.8F;
  return feature == 2 * direction + 2 ? -0.6F : 0.0F;
}

Centres planted(std::uint32_t classes, FeatureId dimension, std::uint32_t directions) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  Centres centres(classes, dimension);
  for (ClassId label = 0; label < classes; ++label) {
    for (FeatureId feature = 0; feature < dimension; ++feature) {
      double value = 30.0 + 0.01 * random.normal(label, 100 + feature);
      for (std::uint32_t j = 0; j < directions; ++j) {
        value += std::ldexp(8.0, -static_cast<int>(j)) * random.normal(label, j) *
                 static_cast<double>(planted_loading(j, feature));
      }
      centres.at(label, feature) = static_cast<float>(value);
    }
  }
  return centres;
}

Centres scattered(std::uint32_t classes, FeatureId dimension, double filled) {
  const CounterRandom random(6, RandomPurpose::kSynthetic);
  Centres centres(classes, dimension);
  for (ClassId label = 0; label < classes; ++label) {
    for (FeatureId feature = 0; feature < dimension; ++feature) {
      if (random.uniform(label, feature) >= filled) continue;
      centres.at(label, feature) =
          static_cast<float>((1.0 + feature % 5) * random.normal(label, dimension + feature));
    }
  }
  return centres;
}

double product(const PrincipalDirections& directions, std::size_t a, std::size_t b) {
  double sum = 0.0;
  for (std::size_t row = 0; row < directions.loadings.size(); row += directions.rank) {
    sum += static_cast<double>(directions.loadings[row + a]) *
           static_cast<double>(directions.loadings[row + b]);
  }
  return sum;
}

void expect_orthonormal(const PrincipalDirections& directions, std::size_t count) {
  for (std::size_t a = 0; a < directions.rank; ++a) {
    for (std::size_t b = 0; b < directions.rank; ++b) {
      EXPECT_NEAR(product(directions, a, b), a == b && a < count ? 1.0 : 0.0, 1e-5)
          << a << " and " << b;
    }
  }
}

// The weighted variance of the centres along a direction, from its definition.
double variance_along(Centres& centres, const PrincipalDirections& directions, std::size_t column) {
  double total = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (ClassId label = 0; label < centres.count(); ++label) {
    double projection = 0.0;
    for (FeatureId feature = 0; feature < centres.dimension; ++feature) {
      const double centred = static_cast<double>(centres.at(label, feature)) -
                             static_cast<double>(directions.mean[feature]);
      projection +=
          centred * static_cast<double>(directions.loadings[feature * directions.rank + column]);
    }
    const auto weight = static_cast<double>(centres.weights[label]);
    total += weight;
    first += weight * projection;
    second += weight * projection * projection;
  }
  EXPECT_NEAR(first / total, 0.0, 1e-3);
  return second / total;
}

TEST(PrincipalDirections, RecoversAPlantedSubspace) {
  Centres centres = planted(3000, 20, 4);
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 4, pool);
  for (std::uint32_t j = 0; j < 4; ++j) {
    double agreement = 0.0;
    for (FeatureId feature = 0; feature < centres.dimension; ++feature) {
      agreement +=
          static_cast<double>(planted_loading(j, feature) * found.loadings[feature * 4 + j]);
    }
    // The sample's axes are turned from the planted ones by about 1 / sqrt(3000).
    EXPECT_GT(agreement, 0.99) << j;
    EXPECT_NEAR(
        static_cast<double>(found.variances[j]) / std::ldexp(64.0, -2 * static_cast<int>(j)), 1.0,
        0.15);
  }
}

TEST(PrincipalDirections, AreOrthonormalWithTheVarianceThatTheyClaim) {
  Centres centres = scattered(400, 60, 1.0);
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 12, pool);
  ASSERT_EQ(found.rank, 12U);
  expect_orthonormal(found, 12);
  for (std::size_t j = 0; j < 12; ++j) {
    const auto claimed = static_cast<double>(found.variances[j]);
    EXPECT_NEAR(variance_along(centres, found, j), claimed, 1e-3 * claimed) << j;
    if (j == 0) continue;
    EXPECT_LE(found.variances[j], found.variances[j - 1]);
  }
}

TEST(PrincipalDirections, WeighClassesByTheirWeight) {
  Centres centres(4, 2);
  centres.at(0, 0) = 1.0F;
  centres.at(1, 0) = -1.0F;
  centres.at(2, 1) = 2.0F;
  centres.at(3, 1) = -2.0F;
  centres.weights = {45.0F, 45.0F, 5.0F, 5.0F};
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 2, pool);
  EXPECT_NEAR(found.variances[0], 0.9F, 1e-5F);
  EXPECT_NEAR(found.variances[1], 0.4F, 1e-5F);
  EXPECT_NEAR(found.loadings[0], 1.0F, 1e-5F);
  EXPECT_NEAR(found.loadings[3], 1.0F, 1e-5F);
}

TEST(PrincipalDirections, LeaveOutClassesOfNoWeight) {
  Centres centres = scattered(100, 10, 1.0);
  Centres fewer = scattered(50, 10, 1.0);
  for (ClassId label = 50; label < 100; ++label) centres.weights[label] = 0.0F;
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 3, pool);
  const PrincipalDirections expected =
      principal_directions(fewer.dense(pool), fewer.weights, 3, pool);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(found.variances[j], expected.variances[j], 1e-4F * expected.variances[j]);
  }
}

TEST(PrincipalDirections, AreTheSameForSparseCentres) {
  Centres centres = planted(300, 40, 3);
  for (ClassId label = 0; label < centres.count(); ++label) {
    for (FeatureId feature = 0; feature < centres.dimension; ++feature) {
      if ((label + feature) % 3 == 0 && feature > 8) centres.at(label, feature) = 0.0F;
    }
  }
  ThreadPool pool(1);
  const PrincipalDirections dense =
      principal_directions(centres.dense(pool), centres.weights, 4, pool);
  const ClassCentres sparse_centres = centres.sparse(pool);
  ASSERT_FALSE(sparse_centres.is_dense());
  const PrincipalDirections sparse = principal_directions(sparse_centres, centres.weights, 4, pool);
  for (std::size_t i = 0; i < dense.mean.size(); ++i) {
    EXPECT_FLOAT_EQ(sparse.mean[i], dense.mean[i]);
  }
  for (std::size_t i = 0; i < dense.loadings.size(); ++i) {
    EXPECT_NEAR(sparse.loadings[i], dense.loadings[i], 2e-3F) << i;
  }
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(sparse.variances[j], dense.variances[j], 1e-4F * dense.variances[j]);
  }
}

TEST(PrincipalDirections, AreZeroBeyondWhatFewClassesSpan) {
  Centres centres = scattered(5, 30, 1.0);
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 10, pool);
  expect_orthonormal(found, 4);
  for (std::size_t j = 0; j < 4; ++j) {
    const auto claimed = static_cast<double>(found.variances[j]);
    EXPECT_GT(claimed, 0.0);
    EXPECT_NEAR(variance_along(centres, found, j), claimed, 1e-3 * claimed);
  }
  for (std::size_t j = 4; j < 10; ++j) EXPECT_EQ(found.variances[j], 0.0F);
}

TEST(PrincipalDirections, AreZeroBeyondTheNumberOfFeatures) {
  Centres centres = scattered(200, 3, 1.0);
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 8, pool);
  expect_orthonormal(found, 3);
  EXPECT_GT(found.variances[2], 0.0F);
  for (std::size_t j = 3; j < 8; ++j) EXPECT_EQ(found.variances[j], 0.0F);
}

TEST(PrincipalDirections, AreZeroWhereAllCentresAreEqual) {
  Centres centres(50, 6);
  for (ClassId label = 0; label < 50; ++label) {
    for (FeatureId feature = 0; feature < 6; ++feature) {
      centres.at(label, feature) = 0.1F * static_cast<float>(feature);
    }
  }
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 2, pool);
  for (const float variance : found.variances) EXPECT_EQ(variance, 0.0F);
  for (const float loading : found.loadings) EXPECT_EQ(loading, 0.0F);
  EXPECT_NEAR(found.mean[5], 0.5F, 1e-6F);
}

TEST(PrincipalDirections, HaveAPositiveLargestLoading) {
  Centres centres = scattered(100, 15, 1.0);
  ThreadPool pool(1);
  const PrincipalDirections found =
      principal_directions(centres.dense(pool), centres.weights, 5, pool);
  for (std::size_t j = 0; j < 5; ++j) {
    float largest = 0.0F;
    for (std::size_t i = j; i < found.loadings.size(); i += 5) {
      if (std::abs(found.loadings[i]) > std::abs(largest)) largest = found.loadings[i];
    }
    EXPECT_GT(largest, 0.0F);
  }
}

TEST(PrincipalDirectionsThreads, DoNotDependOnTheNumberOfThreads) {
  Centres centres = scattered(500, 2500, 0.02);
  ThreadPool one(1);
  const ClassCentres sparse = centres.sparse(one);
  const PrincipalDirections expected = principal_directions(sparse, centres.weights, 10, one);
  for (const int threads : {2, 3}) {
    ThreadPool pool(threads);
    const PrincipalDirections found = principal_directions(sparse, centres.weights, 10, pool);
    EXPECT_EQ(found.mean, expected.mean);
    EXPECT_EQ(found.loadings, expected.loadings);
    EXPECT_EQ(found.variances, expected.variances);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
