#include "data/dataset_view.h"

#include <gtest/gtest.h>

#include <vector>

namespace cane {
namespace {

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

}  // namespace
}  // namespace cane
