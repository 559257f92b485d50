// The options of a verb: each is declared once, with the variable that holds its value. The default
// in the help is the value of the variable when the option is declared, so no default is written
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
#include "app/file_guard.h"
#include "app/options_page.h"
#include "app/verb.h"
#include "core/base/field_text.h"

namespace cane::cli {

/// How a value is set from the user's text, and shown.
struct Value {
  std::function<void(const std::string& text)> set;
  std::function<std::string()> show;
};

using Names = std::vector<std::string_view>;

class Options {
 public:
  /// `closing` is the end of the help, with an example.
  Options(const Verb& verb, const std::string& closing);
  ~Options();

  /// Lists the options added from now on under this heading.
  void group(const std::string& heading);

  /// A required positional argument.
  void positional(const std::string& name, std::string& value, const std::string& text);
  /// An optional positional argument.
  void optional_positional(const std::string& name, std::string& value, const std::string& text);
  /// A required option.
  void required(const std::string& name, const std::string& type, std::string& value,
                const std::string& text);
  /// The required option --model of a verb that reads one. It may be given by position, too, where
  /// its content tells that it is a model.
  void model(std::string& path, const std::string& text);
  /// For a verb that writes --model: it may be the second positional argument.
  void model_by_position();
  void add(const std::string& name, const std::string& type, std::string& value,
           const std::string& text);
  void add(const std::string& name, const std::string& type, Value value, const std::string& text);
  void flag(const std::string& name, bool& value, const std::string& text);
  /// A flag that sets the value to false.
  void flag_off(const std::string& name, bool& value, const std::string& text);

  /// A row of a list of fields. A boolean field is a flag that sets it to true, or to false where
  /// the row says so.
  template <typename T>
  void add(const Field& field, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      add_flag(field, value);
    } else {
      if constexpr (std::is_same_v<T, std::string>) {
        if (field.is_input) reads("--" + flag_name(field), value);
      }
      add(field, values_text<T>(field),
          {[field, &value](const std::string& typed) { value = parse_value<T>(field, typed); },
           [field, &value] { return value_text(field, value); }});
    }
  }

  /// Adds the fields of a list that are in one of these groups, under their headings.
  template <typename Fields>
  void add_groups(Fields& fields, const Names& groups, const Names& without = {}) {
    visit_fields(fields, [&](const Field& field, auto& value) {
      if (!contains(groups, field.group) || contains(without, field.name)) return;
      group(field.group);
      add(field, value);
    });
  }
  /// Adds the fields with these names, under the current heading.
  template <typename Fields>
  void add_fields(Fields& fields, const Names& names) {
    visit_fields(fields, [&](const Field& field, auto& value) {
      if (contains(names, field.name)) add(field, value);
    });
  }

  /// Every option that names a file is declared as one that the verb reads or writes, as the user
  /// writes it ("--model", "TRAIN"); parse() then keeps the user's files from being replaced, and
  /// what is written gets the flag --overwrite. A field declares itself.
  void reads(const std::string& option, const std::string& path);
  void writes(const OutputFile& output, const std::string& path);
  /// Files whose names follow from the options.
  void reads(FileGuard::Inputs inputs);
  void writes(FileGuard::Outputs outputs);

  /// An option of other verbs that a user may expect here: the text says why there is none, and
  /// what to do. An option that the verb has is not refused.
  void refuse(const std::string& name, const std::string& text);

  /// Refuses the fields that a model keeps from its training: those for which keeps(field) is true.
  template <typename Fields, typename Keeps>
  void refuse_kept(const Keeps& keeps) {
    const Fields fields;
    visit_fields(fields, [&](const Field& field, const auto&) {
      if (!keeps(field)) return;
      refuse(flag_name(field),
             "the model keeps what it was trained with; leave it out, or train again with it");
    });
  }

  /// --config FILE: reads options from a file, one name=value per line; the command line takes
  /// precedence.
  void config_file();

  /// What the verb takes, in the order in which it was added.
  VerbPage page() const;

  /// Returns false if the help (or, with kMarkdownFlag, that section) was requested and has been
  /// printed. Throws Error on invalid arguments, and if an output would destroy a file.
  bool parse(const Arguments& arguments);

  /// Sets an option to a value that the user typed elsewhere. Throws Error on an unknown name.
  void assign(const std::string& name, const std::string& text);
  /// Assigns the values given by the user again, after the variables got other defaults.
  void assign_again();
  /// Whether the user gave this option, on the command line or in a file.
  bool given(const std::string& name) const;
  /// Whether the user gave --overwrite.
  bool overwrites() const;
  /// The arguments that reproduce the current values: all options that differ from their
  /// declaration.
  Arguments arguments() const;
  /// Name and current value of each option.
  std::vector<std::pair<std::string, std::string>> values() const;

 private:
  void add(const Field& field, const std::string& type, Value value);
  void add_flag(const Field& field, bool& value);
  void check_files_are_declared() const;
  void check_files_are_named() const;
  /// Throws Error on the first name of an option that does not exist.
  void check_names(const std::vector<std::string>& given, const std::string& where) const;
  void check_config_file() const;
  static bool contains(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cane::cli
