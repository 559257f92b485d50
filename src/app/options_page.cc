#include "app/options_page.h"

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

}  // namespace cane::cli
