#include "data/reader/record_sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/base/thread_pool.h"
#include "data/reader/text_file.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr double kAll = 1e9;

std::string make_text(int classes, int examples) {
  std::string text;
  for (int i = 0; i < examples; ++i) {
    for (int k = 0; k < classes; ++k) text += fmt::format("__label__{} number {}\n", k, i);
  }
  return text;
}

RecordSample sample_of(const std::string& text, double work, const char* name = "a.ft") {
  const testing::TemporaryFolder folder;
  return sample_records(folder.write(name, text), {}, {.work = work});
}

const std::string& text_of(const RecordSample& sample) {
  return sample.choice.blocks.front().text;
}

std::map<std::string, int> counts_of(const RecordSample& sample) {
  std::map<std::string, int> counts;
  const std::string& text = text_of(sample);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ++counts[text.substr(begin, text.find(' ', begin) - begin)];
    begin = end + 1;
  }
  return counts;
}

TEST(RecordSample, TakesASmallFileWhole) {
  const std::string text = make_text(3, 4);
  const RecordSample sample = sample_of(text, kAll);
  EXPECT_EQ(text_of(sample), text);
  EXPECT_EQ(sample.counts.examples, 12U);
  EXPECT_EQ(sample.counts.classes, 3U);
  EXPECT_EQ(sample.counts.share_of_examples, 1.0);
}

TEST(RecordSample, TakesWholeClassesOfMany) {
  const RecordSample sample = sample_of(make_text(1000, 5), 200.0 * 5 * 3 * 200);
  const std::map<std::string, int> counts = counts_of(sample);
  EXPECT_EQ(counts.size(), sample.counts.classes);
  EXPECT_GE(counts.size(), 64U);
  EXPECT_LT(counts.size(), 300U);
  EXPECT_TRUE(std::ranges::all_of(counts, [](const auto& count) { return count.second == 5; }));
  EXPECT_EQ(sample.counts.all_classes, 1000U);
}

TEST(RecordSample, TakesExamplesOfAllClassesWhereTheirNumberIsLimited) {
  const testing::TemporaryFolder folder;
  const RecordSample sample =
      sample_records(folder.write("a.ft", make_text(1000, 16)), {}, {.examples = 9000});
  EXPECT_LE(sample.counts.examples, 9000U);
  EXPECT_GE(sample.counts.examples, 4000U);
  EXPECT_GT(sample.counts.classes, 950U);
}

TEST(RecordSample, TakesSomeExamplesOfFewClasses) {
  const RecordSample sample = sample_of(make_text(4, 4000), 1000.0 * 3 * 4);
  const std::map<std::string, int> counts = counts_of(sample);
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_LE(sample.counts.examples, 1000U);
  EXPECT_GE(sample.counts.examples, 300U);
  EXPECT_NEAR(sample.counts.share_of_examples,
              static_cast<double>(sample.counts.examples) / 16000.0, 1e-9);
}

TEST(RecordSample, LeavesOutWhatCannotBeRead) {
  EXPECT_EQ(text_of(sample_of("__label__a x\nno label\n\n__label__b y\n", kAll)),
            "__label__a x\n__label__b y\n");
}

TEST(RecordSample, KeepsRecordsOfSeveralLines) {
  const RecordSample sample =
      sample_of("label,text\na,\"first\nsecond\"\nb,third\n", kAll, "a.csv");
  EXPECT_EQ(text_of(sample), "a,\"first\nsecond\"\nb,third\n");
  EXPECT_TRUE(sample.choice.has_words);
  ThreadPool pool(1);
  const LoadedData data = load_sample(sample, {}, pool);
  EXPECT_EQ(data.view.size(), 2U);
  EXPECT_EQ(data.vocabulary.words.size(), 3U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
