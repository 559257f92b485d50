#include "linear/gradient/class_gradients.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/flat_table.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomRows;

// The steps of a class for an example, over all parts.
float step_of(const FlatGradient& gradient, std::uint32_t width, std::uint32_t example,
              ClassId label) {
  float sum = 0.0F;
  for (std::size_t part = 0; part < gradient.parts().size(); ++part) {
    const auto& [of, block] = gradient.parts()[part];
    if (of == example && block == label / width) sum += gradient.steps(part)[label % width];
  }
  return sum;
}

TEST(FlatGradient, AgreesWithFiniteDifferencesInTheWeights) {
  constexpr FeatureId kDimension = 5;
  for (const std::uint32_t width : {1U, 16U}) {
    for (const bool sparse : {false, true}) {
      FlatTable table(20, width, kDimension);
      const RandomRows examples(kDimension, 1, sparse);
      const RowView& row = examples.rows[0];
      const std::vector<ClassId> classes = {18, 3, 17, 3};
      const std::vector<float> direction = {0.3F, -0.8F, 0.5F, 0.25F};
      FlatGradient gradient(table.layout);
      gradient.add(0, classes, direction, 1.0F);
      const auto loss = [&] {
        double sum = 0.0;
        for (std::size_t i = 0; i < classes.size(); ++i) {
          sum += static_cast<double>(direction[i]) * table.plain_score(row, classes[i]);
        }
        return sum;
      };
      for (ClassId k = 0; k < table.classes; ++k) {
        for (FeatureId feature = 0; feature <= kDimension; ++feature) {
          float value = feature == kDimension ? 1.0F : 0.0F;
          for (std::uint32_t p = 0; p < row.count; ++p) {
            if ((sparse ? row.indices[p] : p) == feature) value = row.values[p];
          }
          float& weight = table.at(k, feature);
          const float before = weight;
          weight = before + 0.5F;
          const double up = loss();
          weight = before - 0.5F;
          const double down = loss();
          weight = before;
          EXPECT_NEAR(-step_of(gradient, width, 0, k) * value, up - down, 1e-5)
              << "class " << k << ", feature " << feature;
        }
      }
    }
  }
}

TEST(FlatGradient, AddsAClassThatStandsThereTwice) {
  for (const std::uint32_t width : {1U, 16U}) {
    const FlatTable table(40, width, 3);
    FlatGradient gradient(table.layout);
    gradient.add(0, std::vector<ClassId>{7, 30, 7}, std::vector<float>{0.5F, -1.0F, 0.25F}, 2.0F);
    EXPECT_EQ(step_of(gradient, width, 0, 7), -1.5F);
    EXPECT_EQ(step_of(gradient, width, 0, 30), 2.0F);
  }
}

TEST(FlatGradient, KeepsExamplesApartAndBeginsAnewWhenCleared) {
  for (const std::uint32_t width : {1U, 16U}) {
    const FlatTable table(40, width, 3);
    FlatGradient gradient(table.layout);
    const std::vector<ClassId> classes = {1, 2, 33};
    const std::vector<float> direction = {1.0F, 2.0F, 3.0F};
    for (int round = 0; round < 2; ++round) {
      gradient.clear();
      gradient.add(0, classes, direction, 1.0F);
      gradient.add(1, classes, direction, 10.0F);
      gradient.add(2, std::vector<ClassId>{33}, std::vector<float>{-1.0F}, 1.0F);
      for (std::size_t i = 0; i < classes.size(); ++i) {
        EXPECT_EQ(step_of(gradient, width, 0, classes[i]), -direction[i]);
        EXPECT_EQ(step_of(gradient, width, 1, classes[i]), -10.0F * direction[i]);
      }
      EXPECT_EQ(step_of(gradient, width, 2, 33), 1.0F);
      EXPECT_EQ(step_of(gradient, width, 2, 1), 0.0F);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
