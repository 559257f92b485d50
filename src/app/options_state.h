// What a verb has declared, for those who declare and those who parse.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments.h"
#include "app/options.h"

namespace cane::cli {

struct Options::State {
  explicit State(const Verb& verb)
      : verb_name(verb.name),
        command(fmt::format("{} {}", verb.program, verb.name)),
        app(verb.summary, command) {}

  CLI::Option* add(const std::string& name, const std::string& type, Value value,
                   const std::string& text) {
    CLI::Option* option = app.add_option_function<std::string>("--" + name, value.set, text);
    option->option_text(type)->group(heading);
    remember({.name = name,
              .kind = Kind::kValue,
              .value = std::move(value),
              .type = type,
              .help = text});
    return option;
  }

  enum class Kind { kPositional, kValue, kFlag };
  struct Entry {
    std::string name;
    Kind kind;
    Value value;
    std::string type = "";
    std::string help;
    std::string heading = "";
    std::string declared = "";  // its text when declared
    bool is_field = false;

    bool names_file() const {
      return type.find("FILE") != std::string::npos || type.find("DATA") != std::string::npos;
    }
  };
  void remember(Entry entry) {
    entry.declared = entry.value.show();
    entry.heading = heading;
    entry.is_field = adds_field;
    entries.push_back(std::move(entry));
  }

  std::string verb_name;
  std::string command;
  std::string closing;
  CLI::App app;
  std::string heading = "Options";
  bool adds_field = false;  // the entry being added is a row of a list
  std::vector<Entry> entries;
  FileGuard guard;
  std::set<std::string> declared_files;
  bool overwrite = false;
  ModelPlace model_place = ModelPlace::kNowhere;
  std::map<std::string, std::string> refused;  // why a verb does not have an option, by name

  std::optional<bool> takes_value(const std::string& name) const {
    const CLI::Option* const option = app.get_option_no_throw("--" + name);
    if (option == nullptr) return std::nullopt;
    return option->get_expected_min() > 0;
  }
};

}  // namespace cane::cli
