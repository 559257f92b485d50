#include "cli/cane/paper/section.h"

#include <fmt/format.h>

#include "app/report/document.h"
#include "app/report/markup.h"

namespace cane::cli::paper {
namespace {

// Text between backquotes becomes code.
std::string inline_html(const std::string& text) {
  std::string html;
  bool is_code = false;
  std::string part;
  const auto flush = [&] {
    html += is_code ? fmt::format("<code>{}</code>", escaped(part)) : escaped(part);
    part.clear();
  };
  for (const char byte : text) {
    if (byte == '`') {
      flush();
      is_code = !is_code;
    } else {
      part += byte;
    }
  }
  flush();
  return html;
}

struct HtmlWriter {
  std::string operator()(const Paragraph& block) const {
    return fmt::format("<p>{}</p>\n", inline_html(block.text));
  }
  std::string operator()(const Table& block) const {
    return html_table(block.headings, block.rows);
  }
  std::string operator()(const Picture& block) const {
    return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", html_picture(block.svg),
                       inline_html(block.caption));
  }
  std::string operator()(const Commands& block) const {
    std::string html =
        "<details><summary>What was run, when, where and for how long</summary>\n<pre>";
    for (const std::string& line : block.lines) html += escaped(line) + '\n';
    return html + "</pre></details>\n";
  }
};

std::string cell(std::string text) {
  std::string safe;
  for (const char byte : text) safe += byte == '|' ? std::string("\\|") : std::string(1, byte);
  return safe;
}

struct MarkdownWriter {
  std::string operator()(const Paragraph& block) const { return block.text + "\n\n"; }
  std::string operator()(const Table& block) const {
    std::string text = "|";
    for (const std::string& heading : block.headings) text += fmt::format(" {} |", cell(heading));
    text += "\n|";
    for (std::size_t i = 0; i < block.headings.size(); ++i) text += "---|";
    for (const auto& row : block.rows) {
      text += "\n|";
      for (const std::string& value : row) text += fmt::format(" {} |", cell(value));
    }
    return text + "\n\n";
  }
  std::string operator()(const Picture& block) const {
    return fmt::format("![{}]({}.svg)\n\n{}\n\n", block.caption, block.name, block.caption);
  }
  std::string operator()(const Commands& block) const {
    std::string text = "<details><summary>Commands</summary>\n\n```\n";
    for (const std::string& line : block.lines) text += line + '\n';
    return text + "```\n\n</details>\n\n";
  }
};

}  // namespace

void Section::say(const std::string& text) {
  Paragraph paragraph;
  paragraph.text = text;
  blocks.emplace_back(std::move(paragraph));
}

std::string as_html(const Page& page) {
  std::string html = html_opening(page.title, page.title);
  html += fmt::format("<p class='note'>{}</p>\n<nav><ol>\n", inline_html(page.conditions));
  for (const Section& section : page.sections) {
    html += fmt::format("<li><a href='#{}'>{}</a></li>\n", section.id, escaped(section.heading));
  }
  html += "</ol></nav>\n";
  for (const Section& section : page.sections) {
    html += fmt::format("<section id='{}'>\n<h2>{}</h2>\n", section.id, escaped(section.heading));
    for (const Block& block : section.blocks) html += std::visit(HtmlWriter(), block);
    html += "</section>\n";
  }
  return html + html_ending(page.command, page.conditions);
}

std::string as_markdown(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n", page.title, page.conditions);
  for (const Section& section : page.sections) {
    text += fmt::format("- [{}](#{})\n", section.heading, section.id);
  }
  for (const Section& section : page.sections) {
    text += fmt::format("\n<a id=\"{}\"></a>\n\n## {}\n\n", section.id, section.heading);
    for (const Block& block : section.blocks) text += std::visit(MarkdownWriter(), block);
    while (text.ends_with("\n\n")) text.pop_back();
  }
  return text + fmt::format("\n## Command\n\n```sh\n{}\n```\n", page.command);
}

std::string as_csv(const Table& table) {
  std::string csv;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) csv += ',';
      csv += csv_field(cells[i]);
    }
    csv += '\n';
  };
  add_line(table.headings);
  for (const auto& row : table.rows) add_line(row);
  return csv;
}

}  // namespace cane::cli::paper
