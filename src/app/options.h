// The options of a verb: declared once, with the variable that holds the value. The default that
// the help prints is what the variable holds when the option is declared, so no default is written
// twice. Variables must outlive the Options.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/verb.h"
#include "cane/names.h"
#include "core/base/words.h"

namespace cane::cli {

/// How a value is set from what the user typed, and shown.
struct Value {
  std::function<void(const std::string& text)> set;
  std::function<std::string()> show;
};

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

  /// A number, or one of the names in cane/names.h. `name` is without dashes.
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(const std::string& name, T& value, const std::string& text) {
    if constexpr (std::is_enum_v<T>) {
      add(name, names_of<T>(),
          {[name, &value](const std::string& typed) { value = value_named<T>(name, typed); },
           [&value] { return std::string(name_of(value)); }},
          text);
    } else {
      add(name, std::is_integral_v<T> ? "N" : "X",
          {[name, &value](const std::string& typed) {
             value = parse_number<T>("--" + name, typed);
           },
           [&value] { return fmt::format("{}", value); }},
          text);
    }
  }

  /// --config FILE: options from a file, one name=value a line; the command line wins.
  void config_file();

  /// False: the help was asked for and has been printed. Throws Error on mistakes.
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
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cane::cli
