#include "app/report/document.h"

#include <fmt/format.h>

#include <cctype>

#include "app/report/markup.h"
#include "cane/version.h"

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
tbody th.text { white-space: normal; min-width: 9rem; font-family: inherit; font-size: 1em; }
strong { font-weight: 700; }
svg { width: 100%; min-width: 34rem; height: auto; display: block; margin: 1rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .7rem; border: 1px solid var(--rule); border-radius: 4px; }
.note, dd { color: var(--faint); } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.2rem; }
details { margin-top: .8rem; } summary { cursor: pointer; }
nav ol { columns: 2; } a { color: inherit; } figure { margin: 0; } figcaption { color: var(--faint); }
@media (max-width: 40rem) { nav ol { columns: 1; } body { font-size: 14px; margin: 1rem auto; } }
@media print {
  :root { color-scheme: light; --paper: #fff; --ink: #222; --faint: #666; --rule: #ddd; }
  body { max-width: none; margin: 0; } figure, tr { break-inside: avoid; } .wide { overflow: visible; }
  table { font-size: .8em; } svg { min-width: 0; max-width: 46rem; }
}
)css";

// Words are wrapped and begin at the left; figures are neither.
const char* cell_class(const std::string& text) {
  constexpr std::size_t kFigure = 26;
  const bool has_words = text.size() > kFigure && text.find(' ') != std::string::npos;
  const bool is_word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  return has_words || is_word ? " class='text'" : "";
}
// The name of a row in words; that of a method or class is code.
const char* name_class(const std::string& text) {
  return text.find(' ') != std::string::npos ? " class='text'" : "";
}

}  // namespace

std::string html_opening(const std::string& title, const std::string& heading) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
      escaped(title), kStyle, escaped(heading));
}

std::string html_ending(const std::string& command, const std::string& conditions) {
  return fmt::format(
      "<h2>Command</h2>\n<pre>{}</pre>\n<p class='note'>cane {}, {}, {}</p>\n</body>\n</html>\n",
      escaped(command), version(), instruction_set(), escaped(conditions));
}

std::string html_picture(const std::string& svg) {
  return svg.empty() ? "" : fmt::format("<div class='wide'>{}</div>\n", svg);
}

std::string html_table(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class='wide'><table>\n<thead><tr>";
  for (const std::string& heading : headings) {
    html += fmt::format("<th>{}</th>", escaped(heading));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += fmt::format("<tr><th{}>{}</th>", name_class(row.front()), escaped(row.front()));
    for (std::size_t i = 1; i < row.size(); ++i) {
      html += fmt::format("<td{}>{}</td>", cell_class(row[i]), escaped(row[i]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace cane::cli
