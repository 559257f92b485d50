#include "cli/cane/compare/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "app/report/markup.h"
#include "cane/names.h"
#include "cane/version.h"
#include "cli/cane/compare/charts.h"
#include "cli/cane/compare/columns.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --faint: #666; --rule: #ddd; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --ink: #e6e6e6; --faint: #a3a8b0; --rule: #363a43; }
}
body { background: var(--paper); color: var(--ink); max-width: 68rem; margin: 2rem auto;
  padding: 0 1rem; font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { font-weight: 600; } th:first-child, td.text { text-align: left; }
td.text { white-space: normal; }
tbody th { font-weight: 400; font-family: ui-monospace, Consolas, monospace; font-size: .92em; }
strong { font-weight: 700; }
svg { width: 100%; height: auto; max-width: 56rem; display: block; margin: 1rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .7rem; border: 1px solid var(--rule); border-radius: 4px; }
.note, dd { color: var(--faint); } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.2rem; }
details { margin-top: .8rem; } summary { cursor: pointer; }
)css";

// Texts, not numbers, are compared: methods that read the same are all best. Empty where all are.
std::string best_text(const Column& column, const Comparison& comparison) {
  std::optional<double> best;
  std::set<std::string> texts;
  for (const MethodResult& result : comparison.methods) {
    const std::optional<double> value = column.value(result);
    if (!value) continue;
    texts.insert(column.text(*value));
    if (!best || (column.less_is_better ? *value < *best : *value > *best)) best = value;
  }
  return texts.size() > 1 ? column.text(*best) : "";
}

std::string results_table(const Comparison& comparison, const std::vector<Column>& shown) {
  std::string html = "<div class='wide'><table>\n<thead><tr><th>method</th>";
  std::vector<std::string> best;
  for (const Column& column : shown) {
    html += fmt::format("<th title='{}'>{}</th>", escaped(column.meaning), column.heading);
    best.push_back(best_text(column, comparison));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const MethodResult& result : comparison.methods) {
    html += fmt::format("<tr><th>{}</th>", escaped(result.name));
    if (!result.error.empty()) {
      html += fmt::format("<td class='text' colspan='{}'>failed: {}</td></tr>\n", shown.size(),
                          escaped(result.error));
      continue;
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
      const std::string text = escaped(text_of(shown[i], result));
      const bool is_best = !text.empty() && text == best[i];
      html += "<td>" + (is_best ? "<strong>" + text + "</strong>" : text) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string meanings() {
  std::string html = "<details><summary>What the columns mean</summary>\n<dl>\n";
  for (const Column& column : columns()) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", column.heading, escaped(column.meaning));
  }
  return html + "</dl></details>\n";
}

// Options with one value for all are listed once; the others make a table. All methods have the
// same options in the same order.
std::string options_section(const Comparison& comparison) {
  if (comparison.methods.empty()) return "";
  const auto& first = comparison.methods.front().options;
  std::vector<std::size_t> differing;
  std::string same;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool is_same =
        std::all_of(comparison.methods.begin(), comparison.methods.end(),
                    [&](const MethodResult& result) { return result.options[i] == first[i]; });
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
  html += "<div class='wide'><table>\n<thead><tr><th>method</th>";
  for (const std::size_t i : differing) html += fmt::format("<th>{}</th>", escaped(first[i].first));
  html += "</tr></thead>\n<tbody>\n";
  for (const MethodResult& result : comparison.methods) {
    html += fmt::format("<tr><th>{}</th>", escaped(result.name));
    for (const std::size_t i : differing) {
      html += fmt::format("<td>{}</td>", escaped(result.options[i].second));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

std::string notes_section(const Comparison& comparison) {
  std::string html = "<details><summary>What each training said</summary>\n<dl>\n";
  for (const MethodResult& result : comparison.methods) {
    html += fmt::format("<dt>{}</dt>", escaped(result.name));
    for (const std::string& note : result.notes) {
      html += fmt::format("<dd>{}</dd>", escaped(note));
    }
    html += '\n';
  }
  return html + "</dl></details>\n";
}

std::string data_section(const Comparison& comparison) {
  std::string html = fmt::format(
      "<h2>Data</h2>\n<p>Trained on <code>{}</code>: {} examples, {} classes, {} features. Tested "
      "on <code>{}</code>: {} examples",
      escaped(comparison.train_path), count_text(comparison.train_examples),
      count_text(comparison.classes), count_text(comparison.features),
      escaped(comparison.test_path), count_text(comparison.test_examples));
  if (comparison.unseen_labels > 0) {
    html += fmt::format(", {} of them with labels that training never saw, counted as errors",
                        count_text(comparison.unseen_labels));
  }
  return html + ".</p>\n";
}

}  // namespace

std::string as_page(const Comparison& comparison) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
      "<title>cane compare: {}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<h1>{} methods on {} classes</h1>\n",
      escaped(comparison.train_path), kStyle, comparison.methods.size(),
      count_text(comparison.classes));
  if (comparison.methods.size() < comparison.planned) {
    html += fmt::format("<p><strong>{}: {} of {} methods are done.</strong></p>\n",
                        comparison.interrupted ? "Interrupted" : "Still running",
                        comparison.methods.size(), comparison.planned);
  }
  html +=
      "<p class='note'>One after the other on the same data, in the same order, with the same "
      "seed. The test data was measured after every epoch; nothing was chosen by it.</p>\n";
  html += results_table(comparison, columns_in_table(true)) + meanings();
  html += accuracy_by_epoch(comparison) + accuracy_by_seconds(comparison);
  html += "<h2>Rare classes and calibration</h2>\n" +
          results_table(comparison, columns_in_table(false));
  html += options_section(comparison) + notes_section(comparison) + data_section(comparison);
  html += fmt::format(
      "<h2>Command</h2>\n<pre>{}</pre>\n<p class='note'>cane {}, {}, {} threads, log loss: {}, "
      "begun {}</p>\n</body>\n</html>\n",
      escaped(comparison.command), version(), instruction_set(), comparison.threads,
      name_of(comparison.log_loss_by), comparison.started);
  return html;
}

}  // namespace cane::cli
