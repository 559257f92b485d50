// docs/options.md, which `cane help --markdown` prints: a table for each list of fields, then the
// options of each verb. cane-lm has such a page, too.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>

#include "app/error_text.h"
#include "app/verb.h"
#include "app/verb_page.h"
#include "core/base/field_text.h"

namespace cane::cli {

/// A hidden flag that prints the section of a verb instead of its help.
inline constexpr const char* kMarkdownFlag = "--markdown";

/// The text with characters that are table markup escaped.
std::string markdown_cell(std::string text);
/// The text between backquotes.
std::string markdown_code(const std::string& text);

/// A row of the table of a list.
std::string field_row(const Field& field, const std::string& values, const std::string& standard);

/// The table of a list; `type` is the name of the struct.
template <typename Options>
std::string fields_table(const char* type) {
  std::string rows;
  const char* group = "";
  const Options defaults;
  visit_fields(defaults, [&](const Field& field, const auto& value) {
    if (std::string_view(group) != field.group && *field.group != '\0') {
      rows += fmt::format("| **{}** | | | | |\n", field.group);
    }
    group = field.group;
    rows += field_row(field, values_text<std::decay_t<decltype(value)>>(field),
                      value_text(field, value));
  });
  return fmt::format(
      "## `{}`\n\n| option | member | default | takes | |\n|---|---|---|---|---|\n{}\n", type,
      rows);
}

/// The section of a verb: its own rows, and the fields that it takes.
std::string verb_markdown(const std::string& command, const VerbPage& page);

/// Prints the page, given the tables of its lists.
void print_options_page(const std::string& program, const std::string& tables,
                        std::span<const Verb> verbs);

}  // namespace cane::cli
