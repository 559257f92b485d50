// The report as a list of sections, each a list of paragraphs, tables and pictures; from it come
// the page, the same in Markdown, and a file for every table and picture.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace cane::cli::paper {

/// Plain text; `words` between backquotes are code.
struct Paragraph {
  std::string text;
};

struct Table {
  std::string name;  // of its CSV file, without ending
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
};

struct Picture {
  std::string name;  // of its SVG file, without ending
  std::string caption;
  std::string svg;
};

/// What was run for a section, folded away on the page.
struct Commands {
  std::vector<std::string> lines;
};

using Block = std::variant<Paragraph, Table, Picture, Commands>;

struct Section {
  std::string id;  // of its place on the page
  std::string heading;
  std::vector<Block> blocks;

  void say(const std::string& text);
};

struct Page {
  std::string title;
  std::string conditions;  // one line: version, machine, time
  std::string command;
  std::vector<Section> sections;
};

/// Self-contained HTML with a table of contents.
std::string as_html(const Page& page);
/// Pictures are linked as NAME.svg beside it.
std::string as_markdown(const Page& page);
std::string as_csv(const Table& table);

}  // namespace cane::cli::paper
