#include "cli/cane/paper/section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cane/paper/outcome.h"
#include "cli/cane/paper/report.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane::cli::paper {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;
// Within a test, Run is a function of GoogleTest.
using PlannedRun = Run;

Page small_page() {
  Page page;
  page.title = "Title";
  page.command = "cane paper 'my data'";
  Section& section = page.sections.emplace_back();
  section.id = "part";
  section.heading = "A <part>";
  section.say("Say `code <b>` & more");
  section.blocks.emplace_back(Table{"t", {"a|b", "c"}, {{"1|2", "\"x\", y"}}});
  section.blocks.emplace_back(Picture{"p", "caption", "<svg></svg>"});
  return page;
}

TEST(PaperPage, IsOneFileWithAPlaceForEverySection) {
  const std::string html = as_html(small_page());
  EXPECT_THAT(html, HasSubstr("<a href='#part'>A &lt;part&gt;</a>"));
  EXPECT_THAT(html, HasSubstr("<section id='part'>"));
  EXPECT_THAT(html, HasSubstr("<code>code &lt;b&gt;</code> &amp; more"));
  EXPECT_THAT(html, HasSubstr("<svg></svg>"));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
}

TEST(PaperPage, IsTheSameInMarkdownAndItsTablesInCsv) {
  const std::string text = as_markdown(small_page());
  EXPECT_THAT(text, HasSubstr("| a\\|b | c |\n|---|---|\n| 1\\|2 | \"x\", y |"));
  EXPECT_THAT(text, HasSubstr("![caption](p.svg)"));
  EXPECT_EQ(as_csv(std::get<Table>(small_page().sections[0].blocks[1])),
            "a|b,c\n1|2,\"\"\"x\"\", y\"\n");
}

TEST(PaperOutcome, ReadsWhatAComparisonWrote) {
  const TemporaryFolder folder;
  Outcome made;
  made.commands = {"cane compare"};
  made.started = "now";
  made.machine = "here";
  made.seconds = 2.5;
  write_record(made, "aloi/paper/Softmax/1", folder.path(""));
  folder.write("results.json",
               R"({"methods": [{"method": "softmax", "error": null, "accuracy": 0.9,
                   "coverage": null, "estimated": true, "options": {"lr": 0.5, "tree": "clustered"},
                   "curve": [{"epoch": 1, "seconds": 0.1, "accuracy": 0.8}]}]})");
  PlannedRun run;
  run.commands = {{"compare"}};
  const Outcome read = read_outcome(run, folder.path(""));
  EXPECT_EQ(read.seconds, 2.5);
  EXPECT_EQ(read.row().value("accuracy"), 0.9);
  EXPECT_FALSE(read.row().value("coverage"));
  EXPECT_TRUE(read.row().is_estimated);
  EXPECT_EQ(read.row().options.at("lr"), "0.5");
  EXPECT_EQ(read.row().curve[0].at("accuracy"), 0.8);
  folder.write("results.json", R"({"methods": 3})");
  EXPECT_THAT(testing::error_text([&] { read_outcome(run, folder.path("")); }),
              HasSubstr("remove it, and run again"));
}

TEST(PaperOutcome, PicksTheBestPointOfATuning) {
  const TemporaryFolder folder;
  write_record({}, "aloi/tune/NCE-10/1", folder.path(""));
  folder.write("output.1", R"({"best_trial": 2, "trials": [
      {"lr": 0.1, "noise-power": 1, "accuracy": null, "error": "diverged"},
      {"lr": 0.01, "noise-power": 0.5, "accuracy": 0.7}]})");
  PlannedRun run;
  run.commands = {{"tune"}};
  const Outcome read = read_outcome(run, folder.path(""));
  EXPECT_EQ(read.picked, "lr=0.01:noise-power=0.5");
  EXPECT_FALSE(read.trials[0].value);
}

TEST(PaperOutcome, ComparesPredictionsWithTheLabelsOfVowpalWabbit) {
  const TemporaryFolder folder;
  const std::string test = folder.write("test.vw", "1 | 1:1\n2 | 1:1\n12 | 1:1\n3 |\n");
  EXPECT_EQ(vw_accuracy(test, folder.write("found", "1\n1\n12\n3\n")), 0.75);
  EXPECT_THAT(testing::error_text([&] { vw_accuracy(test, folder.write("none", "")); }),
              HasSubstr("predicted nothing"));
}

TEST(PaperReport, SaysWhatWasLeftOutAndWhy) {
  Setting setting;
  setting.options.has_lm = false;
  setting.options.has_vw = false;
  EXPECT_THAT(effort_sentences(setting),
              ::testing::ElementsAre(HasSubstr("were timed and not finished"),
                                     HasSubstr("Figure 3 is left out"),
                                     HasSubstr("Vowpal Wabbit's trees are left out")));
}

}  // namespace
}  // namespace cane::cli::paper
