#include "core/simd/row_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/random.h"
#include "core/simd/block_kernels.h"
#include "support/every_target.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimensions[] = {0, 1, 3, 7, 8, 9, 15, 16, 31, 33, 64, 127};
constexpr ClassId kClasses = 13;
constexpr std::size_t kMaxListed = 11;

// A table with padded rows, an example, and a list of classes of which some come twice.
struct Rows {
  Rows(FeatureId width, bool sparse) : dimension(width), pitch((width + 8) / 8 * 8) {
    const CounterRandom random(11, RandomPurpose::kSynthetic);
    table.assign(kClasses * pitch, 0.0F);
    for (ClassId k = 0; k < kClasses; ++k) {
      for (FeatureId i = 0; i <= dimension; ++i) {
        table[k * pitch + i] = static_cast<float>(random.normal(k, i));
      }
    }
    for (FeatureId i = 0; i < dimension; i += sparse ? 3 : 1) {
      indices.push_back(i);
      values.push_back(static_cast<float>(random.normal(i, 1000)));
    }
    row = {sparse ? indices.data() : nullptr, values.data(),
           static_cast<std::uint32_t>(values.size())};
    for (std::size_t i = 0; i < kMaxListed; ++i) {
      classes.push_back(static_cast<ClassId>((i * 5) % 9));
      steps.push_back(static_cast<float>(random.normal(i, 2000)));
    }
  }
  Rows(const Rows&) = delete;

  FeatureId dimension;
  std::size_t pitch;
  std::vector<float> table;
  std::vector<FeatureId> indices;
  std::vector<float> values;
  RowView row;
  std::vector<ClassId> classes;
  std::vector<float> steps;
};

template <typename Body>
void for_every_problem(const Body& body) {
  on_every_target([&] {
    for (const FeatureId dimension : kDimensions) {
      for (const bool sparse : {false, true}) {
        for (std::size_t listed = 0; listed <= kMaxListed; ++listed) {
          Rows rows(dimension, sparse);
          rows.classes.resize(listed);
          SCOPED_TRACE(::testing::Message() << dimension << " features, sparse " << sparse << ", "
                                            << listed << " classes");
          body(rows);
        }
      }
    }
  });
}

TEST(RowKernels, ScoresAreThoseOfBlocksOfStrideOne) {
  for_every_problem([](const Rows& rows) {
    std::vector<float> scores(rows.classes.size() + 1, -7.0F);
    score_rows(rows.table.data(), rows.pitch, rows.dimension, rows.row, rows.classes,
               scores.data());
    for (std::size_t i = 0; i < rows.classes.size(); ++i) {
      float expected = 0.0F;
      const ScoreTask task = {rows.row, 0.0F, &expected};
      score_block(rows.table.data() + rows.classes[i] * rows.pitch, {rows.dimension, 1},
                  std::span(&task, 1));
      ASSERT_EQ(scores[i], expected);
    }
    EXPECT_EQ(scores.back(), -7.0F);
  });
}

TEST(RowKernels, UpdatesAreThoseOfBlocksOfStrideOne) {
  for_every_problem([](Rows& rows) {
    std::vector<float> expected = rows.table;
    for (std::size_t i = 0; i < rows.classes.size(); ++i) {
      const UpdateTask task = {rows.row, 1.0F, &rows.steps[i]};
      update_block(expected.data() + rows.classes[i] * rows.pitch, {rows.dimension, 1}, 0.3F,
                   std::span(&task, 1));
    }
    update_rows(rows.table.data(), rows.pitch, rows.dimension, 0.3F, rows.row, rows.classes,
                rows.steps.data());
    ASSERT_EQ(rows.table, expected);
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
