#include "data/subset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "support/error_text.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::SmallData;
using testing::SmallDataOptions;

std::vector<float> features_of(const DatasetView& view, std::size_t example) {
  std::vector<float> scratch(view.dimension());
  const RowView row = view.row(example, scratch);
  std::vector<float> all(view.dimension(), 0.0F);
  for (std::uint32_t i = 0; i < row.count; ++i) {
    all[row.indices != nullptr ? row.indices[i] : i] = row.values[i];
  }
  return all;
}

// Keeps what the view points into alive through `storage` alone, as a reader does.
LoadedData loaded(bool sparse, bool weighted) {
  SmallDataOptions options;
  options.sparse = sparse;
  options.examples = 50;
  auto data = std::make_shared<SmallData>(options);
  if (weighted) {
    std::vector<float> weights;
    for (std::uint32_t i = 0; i < options.examples; ++i)
      weights.push_back(0.5F * static_cast<float>(i));
    data->set_weights(std::move(weights));
  }
  LoadedData result;
  result.view = data->view();
  result.vocabulary.labels.assign(options.classes, "label");
  result.vocabulary.dimension = options.dimension;
  result.report.skipped_lines = 3;
  result.storage = data;
  return result;
}

class SubsetOf : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(SparseAndDense, SubsetOf, ::testing::Bool());

TEST_P(SubsetOf, HasTheExamplesInTheOrderGiven) {
  const LoadedData whole = loaded(GetParam(), true);
  const std::vector<std::uint32_t> examples = {7, 49, 0, 7};
  const LoadedData part = take_subset(whole, examples);
  ASSERT_EQ(part.view.size(), examples.size());
  std::uint64_t values = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(features_of(part.view, i), features_of(whole.view, examples[i]));
    EXPECT_EQ(part.view.label(i), whole.view.label(examples[i]));
    EXPECT_EQ(part.view.weight(i), whole.view.weight(examples[i]));
    std::vector<float> scratch(whole.view.dimension());
    values += whole.view.row(examples[i], scratch).count;
  }
  EXPECT_EQ(part.view.stored_values(), values);
  EXPECT_EQ(part.view.is_dense(), !GetParam());
  EXPECT_EQ(part.vocabulary, whole.vocabulary);
  EXPECT_EQ(part.report.skipped_lines, 0U);
}

TEST_P(SubsetOf, SharesTheFeaturesAndOutlivesTheWhole) {
  auto whole = std::make_unique<LoadedData>(loaded(GetParam(), false));
  const std::vector<float> expected = features_of(whole->view, 5);
  const float* const place = whole->view.row(5, {}).values;
  LoadedData part = take_subset(*whole, std::vector<std::uint32_t>{9, 5});
  whole.reset();
  part = take_subset(part, std::vector<std::uint32_t>{1});
  EXPECT_EQ(part.view.row(0, {}).values, place);
  EXPECT_EQ(features_of(part.view, 0), expected);
  EXPECT_EQ(part.view.weight(0), 1.0F);
  EXPECT_FALSE(part.view.has_weights());
}

TEST(Subset, RefusesNoneAndExamplesThatDoNotExist) {
  const LoadedData whole = loaded(true, false);
  EXPECT_THAT(error_text([&] { take_subset(whole, {}); }), ::testing::HasSubstr("at least one"));
  const std::vector<std::uint32_t> beyond = {3, 50};
  EXPECT_THAT(error_text([&] { take_subset(whole, beyond); }),
              ::testing::HasSubstr("example 50 of 50"));
}

TEST(SplitExamples, PutsEveryExampleInOnePart) {
  const SplitExamples parts = split_examples(1000, 0.1, 1);
  EXPECT_EQ(parts.held_out.size(), 100U);
  EXPECT_TRUE(std::is_sorted(parts.rest.begin(), parts.rest.end()));
  EXPECT_TRUE(std::is_sorted(parts.held_out.begin(), parts.held_out.end()));
  std::vector<std::uint32_t> all = parts.rest;
  all.insert(all.end(), parts.held_out.begin(), parts.held_out.end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(all[i], i);
}

TEST(SplitExamples, DependsOnTheSeedAlone) {
  const auto first = split_examples(500, 0.3, 7).held_out;
  EXPECT_EQ(first, split_examples(500, 0.3, 7).held_out);
  EXPECT_NE(first, split_examples(500, 0.3, 8).held_out);
}

TEST(SplitExamples, PicksFromTheWholeRange) {
  // A tenth of 10,000 examples: every tenth part of the data gives 100 +- 9.5, five of them are 48.
  std::vector<int> by_part(10, 0);
  for (const std::uint32_t example : split_examples(10000, 0.1, 3).held_out)
    ++by_part[example / 1000];
  for (const int count : by_part) EXPECT_NEAR(count, 100, 48);
}

TEST(SplitExamples, HoldsASmallerShareInsideALargerOne) {
  const auto small = split_examples(1000, 0.125, 2).held_out;
  const auto large = split_examples(1000, 0.25, 2).held_out;
  EXPECT_TRUE(std::includes(large.begin(), large.end(), small.begin(), small.end()));
}

TEST(SplitExamples, LeavesAtLeastOneInEachPart) {
  EXPECT_EQ(split_examples(3, 0.01, 1).held_out.size(), 1U);
  EXPECT_EQ(split_examples(3, 0.99, 1).rest.size(), 1U);
  EXPECT_THAT(error_text([] { split_examples(1, 0.5, 1); }), ::testing::HasSubstr("two or more"));
  for (const double share : {0.0, 1.0, -0.5, 2.0}) {
    EXPECT_THAT(error_text([&] { split_examples(10, share, 1); }),
                ::testing::HasSubstr("between 0 and 1"));
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
