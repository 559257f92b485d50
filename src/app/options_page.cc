#include "app/options_page.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/words.h"

namespace cane::cli {

std::string markdown_cell(std::string text) {
  for (std::size_t place = 0; (place = text.find_first_of("|<", place)) != std::string::npos;) {
    text.insert(place, 1, '\\');
    place += 2;
  }
  return text;
}

std::string markdown_code(const std::string& text) {
  std::string code = text;
  for (std::size_t place = 0; (place = code.find('|', place)) != std::string::npos; place += 2) {
    code.insert(place, 1, '\\');
  }
  return fmt::format("`{}`", code);
}

std::string field_row(const Field& field, const std::string& values, const std::string& standard) {
  std::string flag;
  if (*field.group != '\0') {
    flag =
        markdown_code(fmt::format("--{}{}{}", flag_name(field), values.empty() ? "" : " ", values));
  }
  std::string help = markdown_cell(with_flags(field.help));
  if (std::string_view(field.since) != "0.1") help += fmt::format(" (since {})", field.since);
  return fmt::format("| {} | `{}` | {} | {} | {} |\n", flag, field.name,
                     standard.empty() ? "" : markdown_code(standard), range_text(field), help);
}

std::string verb_markdown(const std::string& command, const VerbPage& page) {
  std::string own;
  std::string shared;
  for (const OptionText& option : page.options) {
    if (option.is_field) {
      shared += fmt::format("{}`--{}`", shared.empty() ? "" : ", ", option.name);
      continue;
    }
    own += fmt::format("| {} | {} |\n",
                       markdown_code((option.is_positional ? "" : "--") + option.name +
                                     (option.type.empty() ? "" : " " + option.type)),
                       markdown_cell(option.help));
  }
  std::string text = fmt::format("### `{}`\n\n{}\n\n", command, markdown_cell(page.summary));
  if (!own.empty()) text += fmt::format("| option | |\n|---|---|\n{}", own);
  if (!shared.empty()) text += fmt::format("\nAnd of the lists above: {}.\n", shared);
  return text;
}

void print_options_page(const std::string& program, const std::string& tables,
                        std::span<const Verb> verbs) {
  fmt::print(
      "# Options of `{0}`\n\n"
      "Made by `{0} help --markdown`; a test compares the two. Members without an option are for "
      "callers\nof the library.\n\n{1}## Verbs\n\n",
      program, tables);
  for (Verb verb : verbs) {
    verb.program = program.c_str();
    verb.run(verb, {kMarkdownFlag});
  }
}

std::vector<std::string> OptionText::words() const {
  std::vector<std::string> found = split(type, '|');
  std::erase_if(found, [](const std::string& value) {
    return value.empty() || !std::ranges::all_of(value, [](unsigned char letter) {
             return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '-';
           });
  });
  return found;
}

bool OptionText::takes_file() const {
  return is_positional || type.find("FILE") != type.npos || type.find("DATA") != type.npos ||
         type.find("DIR") != type.npos;
}

std::vector<VerbPage>& collected_pages() {
  static std::vector<VerbPage> pages;
  return pages;
}

std::vector<VerbPage> pages_of(const char* program, std::span<const Verb> verbs) {
  collected_pages().clear();
  for (Verb verb : verbs) {
    verb.program = program;
    verb.run(verb, {kPageFlag});
  }
  return std::exchange(collected_pages(), {});
}

}  // namespace cane::cli
