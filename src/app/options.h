// The options of a verb: declared once, with the variable that holds the value. The default that
// the help prints is what the variable holds when the option is declared, so no default is written
// twice. Variables must outlive the Options.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/error_text.h"
#include "app/verb.h"
#include "core/base/field_text.h"

namespace cane::cli {

/// How a value is set from what the user typed, and shown.
struct Value {
  std::function<void(const std::string& text)> set;
  std::function<std::string()> show;
};

using Names = std::vector<std::string_view>;

class Options {
 public:
  /// `closing` ends the help; it has an example.
  Options(const Verb& verb, const std::string& closing);
  ~Options();

  /// What is added from here on is listed under this heading.
  void group(const std::string& heading);

  /// Must be given, without a name.
  void positional(const std::string& name, std::string& value, const std::string& text);
  /// May be given, without a name.
  void optional_positional(const std::string& name, std::string& value, const std::string& text);
  /// Must be given.
  void required(const std::string& name, const std::string& type, std::string& value,
                const std::string& text);
  void add(const std::string& name, const std::string& type, std::string& value,
           const std::string& text);
  void add(const std::string& name, const std::string& type, Value value, const std::string& text);
  void flag(const std::string& name, bool& value, const std::string& text);
  /// Given, it makes the value false.
  void flag_off(const std::string& name, bool& value, const std::string& text);

  /// A row of a list of fields. What is true or false is a flag that makes it true, or false where
  /// the row says so.
  template <typename T>
  void add(const Field& field, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      add_flag(field, value);
    } else {
      add(field, values_text<T>(field),
          {[field, &value](const std::string& typed) { value = parse_value<T>(field, typed); },
           [field, &value] { return value_text(field, value); }});
    }
  }

  /// The fields of a list that are in one of these groups, under their headings.
  template <typename Fields>
  void add_groups(Fields& fields, const Names& groups, const Names& without = {}) {
    visit_fields(fields, [&](const Field& field, auto& value) {
      if (!contains(groups, field.group) || contains(without, field.name)) return;
      group(field.group);
      add(field, value);
    });
  }
  /// The fields with these names, under the heading of before.
  template <typename Fields>
  void add_fields(Fields& fields, const Names& names) {
    visit_fields(fields, [&](const Field& field, auto& value) {
      if (contains(names, field.name)) add(field, value);
    });
  }

  /// --config FILE: options from a file, one name=value a line; the command line wins.
  void config_file();

  /// The verb's section of the page of all options: its own rows, and which fields it takes.
  std::string markdown() const;

  /// False: the help (or, by kMarkdownFlag, that section) was asked for and has been printed.
  /// Throws Error on mistakes.
  bool parse(const Arguments& arguments);

  /// Gives an option a value that the user typed elsewhere. Throws Error on a name that is not
  /// there.
  void assign(const std::string& name, const std::string& text);
  /// Assigns once more what the user gave, after the variables got other defaults.
  void assign_again();
  /// Whether the user gave this option, on the command line or in a file.
  bool given(const std::string& name) const;
  /// What to give so that the variables become as they are now: all that is not as declared.
  Arguments arguments() const;
  /// Name and value of each option, as they are now.
  std::vector<std::pair<std::string, std::string>> values() const;

 private:
  void add(const Field& field, const std::string& type, Value value);
  void add_flag(const Field& field, bool& value);
  static bool contains(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cane::cli
