#include "app/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/interrupt.h"
#include "app/output.h"
#include "app/report/result_folder.h"
#include "app/say.h"
#include "app/verb.h"

namespace cane::cli {
namespace {

void print_end(const Report& report, const CompareRun& run) {
  if (report.interrupted) {
    say("\ninterrupted; {} of {} {}s are finished\n", report.rows.size(), report.planned,
        report.row_word);
  }
  if (report.rows.empty()) return;
  const auto page = std::filesystem::path(run.folder) / "index.html";
  say("\nsaved in {}; to look at it all, open {}\n\n", run.folder, page.string());
}

}  // namespace

int run_comparison(Report& report, const CompareRun& run,
                   const std::function<std::optional<ReportRow>(std::size_t i)>& run_row) {
  const ResultFolder folder("--out", run.folder);
  report.planned = run.names.size();
  catch_interrupts("stopping; what is finished is kept");
  for (std::size_t i = 0; i < run.names.size() && !report.interrupted; ++i) {
    if (!run.quiet) say("\n{}, {} of {}\n", run.names[i], i + 1, run.names.size());
    if (std::optional<ReportRow> row = run_row(i)) {
      if (!row->error.empty()) say("{}: {}\n", row->name, row->error);
      report.rows.push_back(std::move(*row));
    }
    report.interrupted = interrupt_requested() && report.rows.size() < report.planned;
    if (!report.rows.empty()) folder.write(report);
  }
  if (!run.quiet) print_end(report, run);
  Output output("");
  output.write(run.json ? as_json(report).text() + '\n' : as_table(report));
  output.finish();
  if (report.interrupted) return kExitInterrupted;
  const bool has_failed =
      std::ranges::any_of(report.rows, [](const ReportRow& row) { return !row.error.empty(); });
  return has_failed ? kExitUserError : kExitDone;
}

}  // namespace cane::cli
