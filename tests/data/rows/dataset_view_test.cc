#include "data/rows/dataset_view.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

const std::vector<ClassId> kLabels = {0, 1};

template <typename Element>
DatasetView::Dense dense(const std::vector<Element>& matrix, ElementType type) {
  DatasetView::Dense features;
  features.matrix = std::as_bytes(std::span(matrix)).data();
  features.type = type;
  return features;
}

TEST(DatasetView, PointsIntoSparseRows) {
  const std::vector<std::uint64_t> offsets = {0, 2, 2};
  const std::vector<FeatureId> indices = {1, 4};
  const std::vector<float> values = {0.5F, -2.0F};
  const std::vector<float> weights = {1.0F, 3.0F};
  const DatasetView view({offsets, indices.data(), values.data()}, 5, kLabels, weights);
  const RowView row = view.row(0, {});
  EXPECT_EQ(row.indices, indices.data());
  EXPECT_EQ(row.values, values.data());
  EXPECT_EQ(row.count, 2U);
  EXPECT_EQ(view.row(1, {}).count, 0U);
  EXPECT_EQ(view.weight(1), 3.0F);
  EXPECT_EQ(view.stored_values(), 2U);
  EXPECT_FALSE(view.is_dense());
}

TEST(DatasetView, PointsIntoDenseFloatRows) {
  const std::vector<float> matrix = {1, 2, 3, 4};
  const DatasetView view(dense(matrix, ElementType::kFloat32), 2, kLabels, {});
  EXPECT_EQ(view.row(1, {}).values, matrix.data() + 2);
  EXPECT_EQ(view.row(1, {}).indices, nullptr);
  EXPECT_EQ(view.weight(1), 1.0F);
  EXPECT_EQ(view.stored_values(), 4U);
}

TEST(DatasetView, ConvertsAndNormalisesRowsInScratch) {
  const std::vector<double> doubles = {3, 4, 0, 0};
  const std::vector<std::uint8_t> bytes = {3, 4, 0, 255};
  std::vector<float> scratch(2);
  auto features = dense(doubles, ElementType::kFloat64);
  features.normalize = true;
  const DatasetView normalised(features, 2, kLabels, {});
  EXPECT_EQ(normalised.row(0, scratch).values, scratch.data());
  EXPECT_FLOAT_EQ(scratch[0], 0.6F);
  EXPECT_FLOAT_EQ(scratch[1], 0.8F);
  normalised.row(1, scratch);
  EXPECT_EQ(scratch, (std::vector<float>{0, 0})) << "a zero row stays zero";
  DatasetView(dense(bytes, ElementType::kUint8), 2, kLabels, {}).row(1, scratch);
  EXPECT_EQ(scratch, (std::vector<float>{0, 255}));
}

TEST(DatasetView, FollowsTheListOfRows) {
  const std::vector<float> matrix = {1, 2, 3};
  const std::vector<std::uint64_t> rows = {2, 0};
  auto features = dense(matrix, ElementType::kFloat32);
  features.rows = rows;
  const DatasetView view(features, 1, kLabels, {});
  EXPECT_EQ(view.row(0, {}).values[0], 3.0F);
  EXPECT_EQ(view.row(1, {}).values[0], 1.0F);
}

TEST(DatasetView, PrefetchingChangesNothing) {
  std::vector<std::uint64_t> offsets = {0, 40, 40, 43};
  std::vector<FeatureId> indices;
  std::vector<float> values;
  for (FeatureId i = 0; i < 43; ++i) {
    indices.push_back(i % 40);
    values.push_back(static_cast<float>(i) + 0.5F);
  }
  const std::vector<float> matrix(values.begin(), values.begin() + 6);
  const std::vector<ClassId> labels = {2, 0, 1};
  const std::vector<std::uint64_t> rows = {2, 0};
  const DatasetView sparse({offsets, indices.data(), values.data()}, 40, labels, {});
  const DatasetView dense_view(dense(matrix, ElementType::kFloat32), 2, labels, {});
  for (const DatasetView& view : {sparse, dense_view, sparse.with_rows(rows, kLabels, {}),
                                  dense_view.with_rows(rows, kLabels, {})}) {
    std::vector<RowView> before;
    for (std::size_t e = 0; e < view.size(); ++e) before.push_back(view.row(e, {}));
    for (const int part : {0, 1}) {
      for (std::size_t e = 0; e < view.size(); ++e) view.prefetch(e, part);
    }
    for (std::size_t e = 0; e < view.size(); ++e) {
      EXPECT_EQ(view.row(e, {}).indices, before[e].indices);
      EXPECT_EQ(view.row(e, {}).values, before[e].values);
      EXPECT_EQ(view.row(e, {}).count, before[e].count);
    }
  }
  EXPECT_EQ(values.back(), 42.5F);
  EXPECT_EQ(offsets.back(), 43U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
