#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/error.h"
#include "cane/export.h"
#include "data/loaded_data.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TemporaryFolder;

constexpr const char* kSvm = "seven 1:0.5 3:2\n4 2:-1.25\nseven 3:1\n";

DataOptions as_svm() {
  DataOptions options;
  options.format = Format::kSvm;
  options.use_cache = false;
  return options;
}

TEST(ExportExamples, GivesBackWhatWasRead) {
  const TemporaryFolder folder;
  const Dataset data = Dataset::load(folder.write("data.svm", kSvm), as_svm());
  export_examples(data, folder.path("copy.svm"), Format::kSvm);
  const Dataset copy = Dataset::load(folder.path("copy.svm"), as_svm());
  EXPECT_EQ(copy.labels(), data.labels());
  ASSERT_EQ(copy.size(), data.size());
  std::vector<float> scratch(data.dimension());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RowView row = data.data().view.row(i, scratch);
    const RowView again = copy.data().view.row(i, scratch);
    ASSERT_EQ(again.count, row.count);
    EXPECT_TRUE(std::equal(row.indices, row.indices + row.count, again.indices));
    EXPECT_TRUE(std::equal(row.values, row.values + row.count, again.values));
  }
}

TEST(ExportExamples, NumbersClassesForVowpalWabbitAndLeavesUnknownLabelsOut) {
  const TemporaryFolder folder;
  const Dataset train = Dataset::load(folder.write("data.svm", kSvm), as_svm());
  const Dataset test =
      Dataset::load(folder.write("test.svm", "9 1:1\n4 2:3\nseven 1:1\n"), train, as_svm());
  export_examples(test, folder.path("test.vw"), Format::kVw);
  std::ifstream file(folder.path("test.vw"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_THAT(lines, ::testing::ElementsAre("1 | 2:3", "2 | 1:1"));
}

TEST(ExportExamples, RefusesOtherFormats) {
  const TemporaryFolder folder;
  const Dataset data = Dataset::load(folder.write("data.svm", kSvm), as_svm());
  EXPECT_THAT(error_text([&] { export_examples(data, folder.path("x"), Format::kNpy); }),
              ::testing::HasSubstr("cannot write 'npy'"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
