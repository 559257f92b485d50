// With every_row each line of the data is an example, wherever the data lies.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/data_support.h"
#include "data/reader/text_file.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::plain_options;
using testing::TemporaryFolder;

DataOptions every_row() {
  DataOptions options = testing::skipping_options();
  options.every_row = true;
  options.require_labels = false;
  return options;
}

// "." for an example with features; "b", "s", "e" for what is blank, skipped or empty.
std::string kinds_of(const LoadedData& data) {
  std::string kinds(data.view.size(), '.');
  for (const RowGap& gap : data.gaps) kinds[gap.example] = "bse"[static_cast<int>(gap.kind)];
  return kinds;
}

class EveryRow : public ::testing::Test {
 protected:
  std::string kinds(const char* name, const std::string& text, const Vocabulary& known,
                    const DataOptions& options = every_row()) {
    return kinds_of(load_data(folder_.write(name, text), options, &known));
  }

  TemporaryFolder folder_;
};

TEST_F(EveryRow, KeepsTheLinesOfEveryFormat) {
  const Vocabulary words = testing::load_string("__label__a x y\n__label__b z\n").vocabulary;
  EXPECT_EQ(kinds("a.ft", "\nx\nnew words\n \nz __label__\n", words), "b.ebs");
  const Vocabulary indices = testing::load_string("a 1:1\nb 2:1\n").vocabulary;
  EXPECT_EQ(kinds("a.svm", "a 1:1\n# nothing\na\na 9:1\na bad\n", indices), ".bees");
  const Vocabulary vw = testing::load_string("a | x\nb | z\n").vocabulary;
  EXPECT_EQ(kinds("a.vw", "a | x\n\nno bar\nb |\n", vw), ".bse");
  DataOptions each = every_row();
  each.multi_label = MultiLabel::kEach;
  EXPECT_EQ(kinds("b.ft", "__label__a __label__b x\n\n", words, each), ".b");
}

TEST_F(EveryRow, CountsNoHeaderAndNoNamesOfColumns) {
  const std::string table = "text,label\nx y,a\nz,b\n";
  const Vocabulary known = load_data(folder_.write("t.csv", table), plain_options()).vocabulary;
  EXPECT_EQ(kinds("a.csv", "\ntext,label\n\nx,a\n,a\nx\n\"z\nx\",b\n", known), "bb.es.");
  EXPECT_EQ(kinds("a.jsonl", "{\"text\": \"x\"}\n\n{\"other\": 1}\n[]\n", known), ".bes");
  const std::string xmc = "2 3 2\n0 0:1 1:2\n1 2:1\n";
  DataOptions options = plain_options();
  options.format = Format::kXmc;
  const Vocabulary counted = load_data(folder_.write("t.xmc", xmc), options).vocabulary;
  options = every_row();
  options.format = Format::kXmc;
  EXPECT_EQ(kinds("a.xmc", "3 3 2\n0 0:1\n\n1 bad\n0\n", counted, options), ".bse");
}

TEST_F(EveryRow, TakesZerosOfATableOfNumbersForFeatures) {
  const std::string table = "a,b,label\n1,2,x\n3,1,y\n";
  const Vocabulary known = load_data(folder_.write("t.csv", table), plain_options()).vocabulary;
  EXPECT_EQ(kinds("a.csv", "a,b,label\n0,0,x\n,,x\n1,,x\n", known), ".e.");
}

TEST_F(EveryRow, IsTheSameInAFolderOnRanksAndFromTheCache) {
  std::string text = "text,label\n";
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    text += i % 7 == 0 ? "\n" : i % 11 == 0 ? "new,a\n" : i % 13 == 0 ? "too,many,a\n" : "x y,b\n";
    expected += i % 7 == 0 ? 'b' : i % 11 == 0 ? 'e' : i % 13 == 0 ? 's' : '.';
  }
  const Vocabulary known =
      load_data(folder_.write("t.csv", "text,label\nx y,a\nz,b\n"), plain_options()).vocabulary;
  EXPECT_EQ(kinds("a.csv", text, known), expected);
  const std::string folder = folder_.path("parts");
  std::filesystem::create_directory(folder);
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  folder_.write("parts/1.csv", text.substr(0, half));
  folder_.write("parts/2.csv", "text,label\n" + text.substr(half));
  EXPECT_EQ(kinds_of(load_data(folder, every_row(), &known)), expected);
  std::vector<std::string> of_ranks(3);
  run_ranks(3, [&](Communicator& own) {
    const LoadedData part = load_data(folder_.path("a.csv"), every_row(), &known, ranks_of(own));
    of_ranks[static_cast<std::size_t>(own.rank())] = kinds_of(part);
    EXPECT_EQ(part.report.empty_examples,
              static_cast<std::uint64_t>(std::ranges::count(expected, 'e')));
  });
  EXPECT_EQ(of_ranks[0] + of_ranks[1] + of_ranks[2], expected);
  DataOptions cached = every_row();
  cached.use_cache = true;
  cached.cache_directory = folder_.path("cache");
  load_data(folder_.path("a.csv"), cached, &known);
  const LoadedData again = load_data(folder_.path("a.csv"), cached, &known);
  EXPECT_TRUE(again.report.from_cache);
  EXPECT_EQ(kinds_of(again), expected);
}

TEST_F(EveryRow, IsTheSameWhereBlocksWaitOnDisk) {
  const Vocabulary known = testing::load_string("__label__a x y\n__label__b z\n").vocabulary;
  std::string text;
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    text += i % 5 == 0 ? "\n" : i % 7 == 0 ? "new\n" : i % 9 == 0 ? "x __label__\n" : "x z\n";
    expected += i % 5 == 0 ? 'b' : i % 7 == 0 ? 'e' : i % 9 == 0 ? 's' : '.';
  }
  ThreadPool pool(2);
  ParsedData parsed =
      parse_text_file(folder_.write("a.ft", text), every_row(), &known, pool,
                      {.folder = folder_.path("store"), .memory_bytes = 0}, {.block_bytes = 200});
  ASSERT_TRUE(parsed.blocks.is_on_disk());
  EXPECT_EQ(kinds_of(assemble(std::move(parsed), pool)), expected);
}

TEST_F(EveryRow, KeepsCellsBesideTheirUse) {
  const Vocabulary known =
      load_data(folder_.write("t.csv", "id,text,label\n1,x,a\n2,z,b\n"), plain_options())
          .vocabulary;
  DataOptions options = every_row();
  options.keep_columns = "text,id";
  const LoadedData data = load_data(
      folder_.write("a.csv", "id,text,label\n7,\"x, y\",a\n\n8,z\n9,z,b\n"), options, &known);
  EXPECT_THAT(data.kept, ElementsAre("x, y", "7", "", "", "", "", "z", "9"));
  const LoadedData json =
      load_data(folder_.write("a.jsonl", "{\"id\": 1.50, \"text\": \"x\"}\n{\"text\": \"z\"}\n"),
                options, &known);
  EXPECT_THAT(json.kept, ElementsAre("x", "1.50", "z", ""));
}

TEST(StrayQuotes, CostTheirOwnLine) {
  const TemporaryFolder folder;
  std::string text = "text,label\n";
  for (int i = 0; i < 400; ++i)
    text += i == 100 ? "\"x y,a\n" : fmt::format("x y{},a{}\n", i, i % 2);
  const LoadedData data = load_data(folder.write("a.csv", text), testing::skipping_options());
  EXPECT_EQ(data.view.size(), 399U);
  EXPECT_EQ(data.report.skipped_lines, 1U);
  // A row of several lines that has its quotes, but not its fields, is lost as a whole.
  const LoadedData fields = load_data(
      folder.write("b.csv", "text,label\nx,a\n\"y\nz,w\",b,c\nx,b\n"), testing::skipping_options());
  EXPECT_EQ(fields.view.size(), 2U);
  EXPECT_EQ(fields.report.skipped_lines, 2U);
}

TEST(StrayQuotes, CostTheirOwnLineInAnEndlessRow) {
  const TemporaryFolder folder;
  std::string text = "text,label\nx,a\n\"open,b\n";
  for (int i = 0; i < 3000; ++i) text += "x y,b\n";
  ThreadPool pool(1);
  const LoadedData data =
      assemble(parse_text_file(folder.write("a.csv", text), testing::skipping_options(), nullptr,
                               pool, {}, {.block_bytes = 256, .line_bytes = 1000}),
               pool);
  EXPECT_EQ(data.view.size(), 3001U);
  EXPECT_EQ(data.report.skipped_lines, 1U);
}

// Each line opens a quote that no later line closes.
TEST(StrayQuotes, AreNotLookedForAgainAndAgain) {
  const TemporaryFolder folder;
  std::string text = "text,label\nx,a\ny,b\n";
  constexpr int kLines = 100'000;
  for (int i = 0; i < kLines; ++i) text += "a\"b,\"c\n";
  const LoadedData data = load_data(folder.write("a.csv", text), testing::skipping_options());
  EXPECT_EQ(data.view.size(), 2U);
  EXPECT_EQ(data.report.skipped_lines, std::uint64_t{kLines});
}

TEST(ReadReport, CountsWhatLooksWrong) {
  const TemporaryFolder folder;
  std::string text = "text,label\nx,a\ntext,label\n\"";
  for (int i = 0; i < 60; ++i) text += "line\n";
  text += "\",b\nw\xff,b\nx,a\n";
  const LoadedData data = load_data(folder.write("a.csv", text), plain_options());
  const std::string place = folder.path("a.csv");
  EXPECT_THAT(
      data.report.warnings,
      ElementsAre(HasSubstr(fmt::format(
                      "1 rows span more than 50 lines each, the first 61 from {}:4", place)),
                  HasSubstr(fmt::format("1 rows repeat the names of the columns, the first at {}:3",
                                        place)),
                  HasSubstr(fmt::format("1 lines are not in UTF-8, the first at {}:65", place)),
                  HasSubstr("1 of 3 labels occur once, the first: 'label'")));
  const Vocabulary known = data.vocabulary;
  EXPECT_THAT(
      testing::error_of_file(folder.write("b.jsonl", "{\"t\": \"x\"}\n"), plain_options(), &known),
      HasSubstr("there is no label"));
  DataOptions options = plain_options();
  options.require_labels = false;
  EXPECT_THAT(testing::error_of_file(folder.path("b.jsonl"), options, &known),
              HasSubstr("no row has a value in a column of the features ('text')"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
