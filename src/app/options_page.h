// What a verb takes, as data, of which manual pages, the completion of shells and docs/options.md
// are made. `cane help --markdown` prints the latter: a table for each list of fields, then the
// options of each verb. cane-lm has such a page, too.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <vector>

#include "app/error_text.h"
#include "app/verb.h"
#include "core/base/field_text.h"

namespace cane::cli {

struct Program;

struct OptionText {
  std::string name;  // without dashes
  std::string type;  // what it takes, "N|auto"; empty: nothing, or a positional argument
  std::string help;
  std::string heading;
  bool is_field = false;  // a row of a list of fields
  bool is_positional = false;

  /// The words among the values that it takes: "auto" of "N|auto".
  std::vector<std::string> words() const;
  /// The name of a file or a folder may follow.
  bool takes_file() const;
};

struct VerbPage {
  std::string verb;
  std::string summary;
  std::string closing;  // the last lines of its help
  std::vector<OptionText> options;
};

/// A hidden flag of every verb: it adds its page to collected_pages() and does nothing else.
inline constexpr const char* kPageFlag = "--page";
std::vector<VerbPage>& collected_pages();

/// The pages of these verbs of a program.
std::vector<VerbPage> pages_of(const char* program, std::span<const Verb> verbs);

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

/// A script that lets a shell complete verbs, options and their values. `shell`: bash, zsh or fish.
/// Throws Error for another.
std::string completion_script(const std::string& shell, const std::string& program,
                              std::span<const VerbPage> pages);

/// Manual pages, in the language of man(7): of the program, what it does and its verbs; and of a
/// verb, its options and examples.
std::string program_manual(const Program& program, std::span<const VerbPage> pages);
std::string verb_manual(const Program& program, const VerbPage& page);

}  // namespace cane::cli
