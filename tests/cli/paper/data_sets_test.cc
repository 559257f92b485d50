#include "cli/cane/paper/data_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/cane/paper/published.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane::cli::paper {
namespace {

using testing::TemporaryFolder;

void add_file(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder.path(name);
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::vector<std::string> keys_of(const DataFolder& data) {
  std::vector<std::string> keys;
  for (const FoundSet& set : data.found) keys.emplace_back(set.row->key);
  return keys;
}

TEST(FindSets, KnowsSetsByTheirFoldersWhateverTheCompression) {
  const TemporaryFolder folder;
  add_file(folder, "ALOI/train.svm.gz", "");
  add_file(folder, "ALOI/test.svm.xz", "");
  add_file(folder, "ptb/ptb.train.txt", "a");
  add_file(folder, "ptb/ptb.valid.txt", "a");
  add_file(folder, "ptb/ptb.test.txt", "a");
  const DataFolder data = find_sets(folder.path(""));
  EXPECT_THAT(keys_of(data), ::testing::ElementsAre("aloi", "ptb"));
  EXPECT_THAT(data.found[0].test, ::testing::EndsWith("test.svm.xz"));
}

TEST(FindSets, TakesAStandInOnlyWhereTheSetItselfIsAbsent) {
  const TemporaryFolder folder;
  add_file(folder, "clinc150/train.ft", "");
  add_file(folder, "clinc150/test.ft", "");
  EXPECT_THAT(keys_of(find_sets(folder.path(""))), ::testing::ElementsAre("clinc150"));
  EXPECT_EQ(find_sets(folder.path("")).found[0].heading(), "CLINC150 (stands in for Sector)");
  add_file(folder, "sector/sector.scale.bz2", "");
  add_file(folder, "sector/sector.t.scale.bz2", "");
  EXPECT_THAT(keys_of(find_sets(folder.path(""))), ::testing::ElementsAre("sector"));
}

TEST(FindSets, FindsOfficialNamesInTheFolderItself) {
  const TemporaryFolder folder;
  add_file(folder, "aloi.scale.bz2", "");
  const DataFolder data = find_sets(folder.path(""));
  ASSERT_THAT(keys_of(data), ::testing::ElementsAre("aloi"));
  EXPECT_THAT(data.found[0].single, ::testing::EndsWith("aloi.scale.bz2"));
  std::vector<std::string> absent;
  for (const SetRow* row : data.absent) absent.emplace_back(row->key);
  EXPECT_THAT(absent, ::testing::ElementsAre("sector", "imagenet-2010", "imagenet-10k", "ptb",
                                             "gutenberg"));
}

TEST(FindSets, DoesNotTakeAPlainTrainFileOfAnyFolderForASet) {
  const TemporaryFolder folder;
  add_file(folder, "others/train.svm", "");
  add_file(folder, "others/test.svm", "");
  EXPECT_THAT(testing::error_text([&] { find_sets(folder.path("")); }),
              ::testing::HasSubstr("none of the paper's sets is there"));
}

TEST(Published, HasEveryRowOfTheTables) {
  EXPECT_EQ(std::size(kTable1), 24U);
  EXPECT_EQ(std::size(kTable2), 16U);
  EXPECT_EQ(std::size(kTable3), 12U);
  EXPECT_EQ(published(kTable1, "aloi", "CANE-9v1")->train_seconds, 480.0);
  EXPECT_EQ(published(kTable2, "aloi", "Recall Tree")->accuracy, 0.8303);
  EXPECT_EQ(published_coverage("aloi", 9), 0.9359);
  EXPECT_FALSE(published(kTable1, "aloi", "CANE-3v7"));
}

}  // namespace
}  // namespace cane::cli::paper
