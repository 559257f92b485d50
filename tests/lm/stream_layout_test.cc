#include "lm/engine/token_streams.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace cane::lm {
namespace CANE_THIS_FILE {

struct Filled {
  std::vector<std::int32_t> inputs;
  std::vector<std::int32_t> labels;
};

Filled fill(const StreamLayout& layout, std::size_t words) {
  std::vector<WordId> text(words);
  std::iota(text.begin(), text.end(), 10U);
  Filled filled;
  filled.inputs.resize(layout.streams() * layout.length());
  filled.labels.resize(filled.inputs.size());
  layout.fill(text, 7, filled.inputs, filled.labels);
  return filled;
}

TEST(StreamLayout, CutsContinuousTextIntoEqualStreams) {
  const Filled filled = fill(StreamLayout::whole_streams(7, 3), 7);
  EXPECT_EQ(filled.labels, (std::vector<std::int32_t>{10, 12, 14, 11, 13, 15}));
  EXPECT_EQ(filled.inputs, (std::vector<std::int32_t>{7, 11, 13, 10, 12, 14}));
}

TEST(StreamLayout, PredictsEveryWordOfATestOnce) {
  constexpr std::size_t kWords = 1001;
  const StreamLayout layout = StreamLayout::every_word(kWords, 4);
  EXPECT_EQ(layout.streams(), 4U);
  const Filled filled = fill(layout, kWords);
  std::vector<int> seen(kWords, 0);
  for (std::size_t i = 0; i < filled.labels.size(); ++i) {
    if (filled.labels[i] == StreamLayout::kNoLabel) continue;
    ++seen[static_cast<std::size_t>(filled.labels[i] - 10)];
    EXPECT_EQ(filled.inputs[i], filled.labels[i] == 10 ? 7 : filled.labels[i] - 1);
  }
  EXPECT_EQ(seen, std::vector<int>(kWords, 1));
}

TEST(StreamLayout, GivesAShortTestOneStream) {
  EXPECT_EQ(StreamLayout::every_word(1, 32).streams(), 1U);
  EXPECT_EQ(StreamLayout::every_word(1, 32).length(), 1U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
