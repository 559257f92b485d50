// Labels: threads
// A folder of files is read as its files one after the other, by one process and by several ranks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "data/data_support.h"
#include "data/gathered_data.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::content_of;
using ::testing::HasSubstr;
using testing::plain_options;

class FolderData : public ::testing::Test {
 protected:
  FolderData() { std::filesystem::create_directory(path()); }

  std::string path() const { return folder_.path("parts"); }
  void write(const std::string& name, const std::string& text) const {
    folder_.write("parts/" + name, text);
  }

  void expect_content(const std::string& whole_name, const std::string& whole,
                      const DataOptions& options = plain_options()) const {
    const LoadedData expected = load_data(folder_.write(whole_name, whole), options);
    EXPECT_TRUE(content_of(load_data(path(), options)) == content_of(expected));
    for (const int ranks : {2, 3, 5}) {
      run_ranks(ranks, [&](Communicator& own) {
        const LoadedData all = gather_data(load_data(path(), options, nullptr, ranks_of(own)), own);
        EXPECT_TRUE(content_of(all) == content_of(expected)) << ranks << " ranks";
      });
    }
  }

  // The same on one rank and on several.
  std::string error(const DataOptions& options = plain_options()) const {
    std::string message = testing::error_of_file(path(), options);
    for (const int ranks : {2, 3}) {
      try {
        run_ranks(ranks,
                  [&](Communicator& own) { load_data(path(), options, nullptr, ranks_of(own)); });
        ADD_FAILURE() << "no error on " << ranks << " ranks";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(message));
      }
    }
    return message;
  }

  testing::TemporaryFolder folder_;
};

std::string words(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += fmt::format("__label__{} w{} w{}\n", i % 7, i, i / 3);
  return text;
}

TEST_F(FolderData, IsItsFilesInTheOrderOfTheirNames) {
  write("part-2", words(30, 60));
  write("part-1.gz", testing::gzip(words(10, 30)));
  write("part-0", "\xEF\xBB\xBF" + words(0, 10));
  write("part-3", "");
  write("part-4", "__label__last x");
  write("part-5", "\xEF\xBB\xBF__label__last y");
  write("_SUCCESS", "not data");
  write(".part-0.crc", "not data");
  std::filesystem::create_directory(path() + "/inner");
  expect_content("whole.ft", words(0, 60) + "__label__last x\n__label__last y\n");
}

TEST_F(FolderData, GivesEachCompressedFileToOneRank) {
  write("a.gz", testing::gzip(words(0, 40)));
  write("b.gz", testing::gzip(words(40, 50)));
  expect_content("whole.ft", words(0, 50));
}

TEST_F(FolderData, KnowsTheColumnNamesThatEveryFileBeginsWith) {
  const auto rows = [](int begin, int end) {
    std::string text;
    for (int i = begin; i < end; ++i) {
      text += fmt::format("c{},{},\"one\nword{},more\"\n", i % 3, i, i % 9);
    }
    return text;
  };
  const std::string names = "label,\"a\nnumber\",text\n";
  write("part-0.csv", "");
  write("part-1.csv", "\n" + names);
  write("part-2.csv.gz", testing::gzip(names + rows(0, 30)));
  write("part-3.csv", "\xEF\xBB\xBFlabel,\"a\nnumber\",text\r\n" + rows(30, 90));
  write("part-4.csv", rows(90, 99));
  expect_content("whole.csv", names + rows(0, 99));
}

TEST_F(FolderData, KeepsFirstRowsThatAreEqualButNoNames) {
  std::string whole;
  for (int part = 0; part < 3; ++part) {
    const std::string text = fmt::format("1,5.5,2\n0,{},3\n1,{},4\n", part, part + 1);
    write(fmt::format("part-{}.csv", part), text);
    whole += text;
  }
  DataOptions options = plain_options();
  options.header = HeaderRow::kNo;
  options.label_column = "1";
  expect_content("whole.csv", whole, options);
}

TEST_F(FolderData, RefusesColumnsInAnotherOrder) {
  write("part-0.csv", "label,text\na,x\nb,y\n");
  write("part-1.csv", "text,label\nx,a\ny,b\n");
  EXPECT_THAT(error(), HasSubstr("part-1.csv:1: the columns are in another order"));
}

TEST_F(FolderData, LearnsTheColumnsFromSeveralFiles) {
  write("part-0.csv", "label,value\na,1\n");
  write("part-1.csv", "label,value\nb,some words\na,other words\n");
  expect_content("whole.csv", "label,value\na,1\nb,some words\na,other words\n");
}

TEST_F(FolderData, NamesTheLineOfTheFileThatIsBad) {
  write("part-0", words(0, 20));
  write("part-1", words(20, 60) + "\nno label\n" + words(60, 90));
  write("part-2.gz", testing::gzip(words(90, 120) + "nor here\n"));
  DataOptions options = plain_options();
  options.format = Format::kFastText;
  EXPECT_THAT(error(options), ::testing::StartsWith("parts/part-1:42: "));
  options.on_error = OnError::kSkip;
  const LoadedData kept = load_data(path(), options);
  EXPECT_EQ(kept.view.size(), 120U);
  EXPECT_EQ(kept.report.skipped_lines, 2U);
  EXPECT_THAT(kept.report.first_skipped, HasSubstr("part-1:42: "));
  run_ranks(4, [&](Communicator& own) {
    const ReadReport report = load_data(path(), options, nullptr, ranks_of(own)).report;
    EXPECT_EQ(report.first_skipped, kept.report.first_skipped);
  });
}

TEST_F(FolderData, IsRefusedWithAFileThatIsDamagedOrNoText) {
  const std::string packed = testing::gzip(words(0, 40));
  write("part-0", words(0, 10));
  write("part-1.gz", packed.substr(0, packed.size() / 2));
  DataOptions options = testing::skipping_options();
  EXPECT_THAT(error(options), HasSubstr("part-1.gz: the gzip data is cut off; get the file again"));
  write("part-1.gz", testing::npy("<f4", "(1, 1)", "abcd"));
  EXPECT_THAT(error(options), HasSubstr("part-1.gz: a matrix is not read as one of several"));
  for (const char* const name : {"part-0", "part-1.gz"}) {
    std::filesystem::remove(path() + "/" + name);
  }
  EXPECT_THAT(error(options), HasSubstr("there is no file with data in this folder"));
}

TEST_F(FolderData, IsKeptInTheCacheUntilAFileChanges) {
  write("a.gz", testing::gzip(words(0, 40)));
  write("b.gz", testing::gzip(words(40, 50)));
  DataOptions options = plain_options();
  options.use_cache = true;
  options.cache_directory = folder_.path("cache");
  load_data(path(), options);
  EXPECT_TRUE(load_data(path(), options).report.from_cache);
  // With three ranks one has nothing.
  std::atomic<int> from_cache = 0;
  for (int time = 0; time < 2; ++time) {
    run_ranks(3, [&](Communicator& own) {
      from_cache += load_data(path(), options, nullptr, ranks_of(own)).report.from_cache;
    });
  }
  EXPECT_EQ(from_cache, 3);
  write("c", words(50, 51));
  const LoadedData more = load_data(path(), options);
  EXPECT_FALSE(more.report.from_cache);
  EXPECT_EQ(more.view.size(), 51U);
  EXPECT_EQ(more.files,
            (std::vector<std::string>{path(), path() + "/a.gz", path() + "/b.gz", path() + "/c"}));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
