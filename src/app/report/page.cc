#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "app/report/document.h"
#include "app/report/markup.h"
#include "app/report/report.h"

namespace cane::cli {
namespace {

// Compares texts, not numbers: rows that read the same are all best. Empty if all rows are.
std::string best_text(const Report& report, std::size_t column) {
  std::optional<double> best;
  std::set<std::string> texts;
  for (const ReportRow& row : report.rows) {
    const std::optional<double> value = row.values[column];
    if (!value) continue;
    texts.insert(report.columns[column].text(*value));
    const bool is_less = best && *value < *best;
    const bool is_more = best && *value > *best;
    if (!best || (report.columns[column].less_is_better ? is_less : is_more)) best = value;
  }
  return texts.size() > 1 ? report.columns[column].text(*best) : "";
}

std::string table_opening(const Report& report) {
  return fmt::format("<div class='wide'><table>\n<thead><tr><th>{}</th>", report.row_word);
}

constexpr const char* kTableBody = "</tr></thead>\n<tbody>\n";
constexpr const char* kTableEnd = "</tbody>\n</table></div>\n";

std::string results_table(const Report& report, const std::vector<std::size_t>& shown) {
  std::string html = table_opening(report);
  std::vector<std::string> best;
  for (const std::size_t column : shown) {
    html += fmt::format("<th title='{}'>{}</th>", escaped(report.columns[column].meaning),
                        report.columns[column].heading);
    best.push_back(best_text(report, column));
  }
  html += kTableBody;
  for (const ReportRow& row : report.rows) {
    html += fmt::format("<tr><th>{}</th>", escaped(row.name));
    if (!row.error.empty()) {
      html += fmt::format("<td class='text' colspan='{}'>failed: {}</td></tr>\n", shown.size(),
                          escaped(row.error));
      continue;
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string text = escaped(text_of(report, shown[i], row));
      const bool is_best = !text.empty() && text == best[i];
      html += "<td>" + (is_best ? "<strong>" + text + "</strong>" : text) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + kTableEnd;
}

std::string meanings(const Report& report) {
  std::string html = "<details><summary>What the columns mean</summary>\n<dl>\n";
  for (const ReportColumn& column : report.columns) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", column.heading, escaped(column.meaning));
  }
  return html + "</dl></details>\n";
}

// Options with the same value in all rows are listed once; the others form a table.
std::string options_section(const Report& report) {
  if (report.rows.empty()) return "";
  const auto& first = report.rows.front().options;
  std::vector<std::size_t> differing;
  std::string same;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_same = std::ranges::all_of(
        report.rows, [&](const ReportRow& row) { return row.options[i] == first[i]; });
    if (is_same) {
      same += fmt::format("{}{}={}", same.empty() ? "" : " &nbsp; ", escaped(first[i].first),
                          escaped(first[i].second));
    } else {
      differing.push_back(i);
    }
  }
  std::string html =
      fmt::format("<h2>Options</h2>\n<p>The same for all: <code>{}</code></p>\n", same);
  if (differing.empty()) return html;
  html += table_opening(report);
  for (const std::size_t i : differing) html += fmt::format("<th>{}</th>", escaped(first[i].first));
  html += kTableBody;
  for (const ReportRow& row : report.rows) {
    html += fmt::format("<tr><th>{}</th>", escaped(row.name));
    for (const std::size_t i : differing) {
      html += fmt::format("<td>{}</td>", escaped(row.options[i].second));
    }
    html += "</tr>\n";
  }
  return html + kTableEnd;
}

std::string notes_section(const Report& report) {
  const bool has_notes =
      std::ranges::any_of(report.rows, [](const ReportRow& row) { return !row.notes.empty(); });
  if (!has_notes) return "";
  std::string html = "<details><summary>What each training said</summary>\n<dl>\n";
  for (const ReportRow& row : report.rows) {
    html += fmt::format("<dt>{}</dt>", escaped(row.name));
    for (const std::string& note : row.notes) html += fmt::format("<dd>{}</dd>", escaped(note));
    html += '\n';
  }
  return html + "</dl></details>\n";
}

}  // namespace

std::string as_page(const Report& report) {
  std::string html = html_opening(
      fmt::format("{}: {}", report.program, report.source),
      fmt::format("{} {}s on {}", report.rows.size(), report.row_word, report.subject));
  if (report.rows.size() < report.planned) {
    html += fmt::format("<p><strong>{}: {} of {} {}s are done.</strong></p>\n",
                        report.interrupted ? "Interrupted" : "Still running", report.rows.size(),
                        report.planned, report.row_word);
  }
  html += fmt::format("<p class='note'>{}</p>\n", report.conditions);
  html += results_table(report, columns_of(report, true)) + meanings(report);
  html += html_picture(chart_by_epoch(report)) + html_picture(chart_by_seconds(report));
  if (const std::vector<std::size_t> others = columns_of(report, false); !others.empty()) {
    html += fmt::format("<h2>{}</h2>\n", report.more_heading) + results_table(report, others);
  }
  html += options_section(report) + notes_section(report);
  html += fmt::format("<h2>Data</h2>\n<p>{}</p>\n", report.data);
  return html + html_ending(report.command, fmt::format("{} threads, {}, begun {}", report.threads,
                                                        report.remark, report.started));
}

}  // namespace cane::cli
