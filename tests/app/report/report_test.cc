#include "app/report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cane::cli {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

Report small_report() {
  Report report;
  report.program = "program compare";
  report.row_word = "head";
  report.columns = {
      {true, "score", "score", "how good", false, [](double x) { return fmt::format("{}", x); }},
      {false, "depth", "depth", "how deep", true, [](double x) { return fmt::format("{}", x); }}};
  report.curve_names = {"loss"};
  report.chart = {.title = "Loss", .name = "loss"};
  report.planned = 2;
  ReportRow& good = report.rows.emplace_back();
  good.name = "a,\"b\"";
  good.values = {0.5, std::nullopt};
  good.curve = {{1, 2.5, {3.25}}};
  ReportRow& failed = report.rows.emplace_back();
  failed.name = "c";
  failed.error = "no <luck>";
  failed.values.resize(2);
  return report;
}

TEST(Report, DoublesQuotesInCsv) {
  EXPECT_EQ(results_csv(small_report()),
            "head,score,depth,error\n\"a,\"\"b\"\"\",0.5,,\nc,,,no <luck>\n");
  EXPECT_EQ(curves_csv(small_report()), "head,epoch,seconds,loss\n\"a,\"\"b\"\"\",1,2.5,3.25\n");
}

TEST(Report, ShowsAFailedRowInTheTable) {
  const std::string table = as_table(small_report());
  EXPECT_THAT(table, HasSubstr("c      failed: no <luck>"));
  EXPECT_THAT(table, HasSubstr("score"));
  EXPECT_THAT(table, Not(HasSubstr("depth")));
}

TEST(Report, SaysInJsonWhoWroteIt) {
  const std::string json = json_text(as_json(small_report()));
  EXPECT_THAT(json, HasSubstr("{\"written_by\":\"program compare\""));
  EXPECT_THAT(json, HasSubstr("\"heads_planned\":2"));
  EXPECT_THAT(json, HasSubstr("\"curve\":[{\"epoch\":1,\"seconds\":2.5,\"loss\":3.25}]"));
}

TEST(Report, EscapesTextInThePage) {
  const std::string page = as_page(small_report());
  EXPECT_THAT(page, HasSubstr("failed: no &lt;luck&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<luck>")));
  EXPECT_THAT(page, HasSubstr("a,&quot;b&quot;"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
