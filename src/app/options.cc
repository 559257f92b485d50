#include "app/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "app/arguments.h"
#include "app/options_page.h"
#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"

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

namespace {

constexpr std::size_t kColumn = 34;

std::string with_default(const std::string& text, const std::string& value) {
  return value.empty() ? text : fmt::format("{} [{}]", text, value);
}

std::string with_single_gaps(std::string text) {
  for (std::size_t gap = 0; (gap = text.find("\n\n\n", gap)) != std::string::npos;) {
    text.erase(gap, 1);
  }
  return text;
}

// A file of options, unless it is too large to be one.
class ConfigReader final : public CLI::ConfigBase {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    constexpr std::size_t kLargest = std::size_t{1} << 20;
    constexpr std::size_t kLongestLine = 4096;
    std::string text(kLargest, '\0');
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (input) throw Error("--config: the file has more than 1 MiB; give one of options");
    text.resize(static_cast<std::size_t>(input.gcount()));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.size() <= kLongestLine) continue;
      throw Error(fmt::format("--config: the line {} is longer than any option", in_quotes(line)));
    }
    std::istringstream again(text);
    return CLI::ConfigBase::from_config(again);
  }
};

Value text_value(std::string& value) {
  return {[&value](const std::string& typed) { value = typed; }, [&value] { return value; }};
}

// `given`: the value of the variable when the flag is given.
Value flag_value(const std::string& name, bool& value, bool given) {
  return {[name, &value, given](const std::string& typed) {
            if (typed != "true" && typed != "false") {
              throw Error(fmt::format("--{}: '{}' does not fit; give true or false", name, typed));
            }
            value = (typed == "true") == given;
          },
          [&value, given] { return value == given ? "true" : "false"; }};
}

}  // namespace

Options::Options(const Verb& verb, const std::string& closing)
    : state_(std::make_unique<State>(verb)) {
  state_->closing = closing;
  state_->app.footer("\n" + closing);
  state_->app.get_formatter()->column_width(kColumn);
  state_->app.get_formatter()->label("Positionals", "Arguments");
  state_->app.set_help_flag("-h,--help", "print this help and end");
}

Options::~Options() = default;

void Options::group(const std::string& heading) {
  state_->heading = heading;
}

void Options::positional(const std::string& name, std::string& value, const std::string& text) {
  state_->app.add_option(name, value, text)->required()->option_text(" ");
  state_->remember(
      {.name = name, .kind = State::Kind::kPositional, .value = text_value(value), .help = text});
}

void Options::optional_positional(const std::string& name, std::string& value,
                                  const std::string& text) {
  state_->app.add_option(name, value, text)->option_text(" ");
  state_->remember(
      {.name = name, .kind = State::Kind::kPositional, .value = text_value(value), .help = text});
}

void Options::required(const std::string& name, const std::string& type, std::string& value,
                       const std::string& text) {
  state_->add(name, type, text_value(value), text)->required();
}

void Options::model(std::string& path, const std::string& text) {
  required("model", "FILE", path, text + " (required; also by position)");
  reads("--model", path);
  state_->model_place = ModelPlace::kAnywhere;
}

void Options::model_by_position() {
  state_->model_place = ModelPlace::kSecond;
}

void Options::add(const std::string& name, const std::string& type, std::string& value,
                  const std::string& text) {
  add(name, type, text_value(value), text);
}

void Options::add(const std::string& name, const std::string& type, Value value,
                  const std::string& text) {
  const std::string shown = with_default(text, value.show());
  state_->add(name, type, std::move(value), shown);
}

void Options::add(const Field& field, const std::string& type, Value value) {
  const std::string name = flag_name(field);
  // The user typed the flag, so the message names it.
  value.set = [name, set = std::move(value.set)](const std::string& typed) {
    try {
      set(typed);
    } catch (const OptionError& error) {
      throw Error(fmt::format("--{}: {}{}{}", name, error.problem(),
                              error.remedy().empty() ? "" : "; ", error.remedy()));
    }
  };
  if (*field.old_flag != '\0') {
    state_->app.add_option_function<std::string>(fmt::format("--{}", field.old_flag), value.set)
        ->group("");
  }
  state_->adds_field = true;
  add(name, type, std::move(value), with_flags(field.help));
  state_->adds_field = false;
}

void Options::add_flag(const Field& field, bool& value) {
  state_->adds_field = true;
  if (field.turns_off) {
    flag_off(flag_name(field), value, with_flags(field.help));
  } else {
    flag(flag_name(field), value, with_flags(field.help));
  }
  state_->adds_field = false;
}

void Options::flag(const std::string& name, bool& value, const std::string& text) {
  state_->app.add_flag("--" + name, value, text)->group(state_->heading);
  state_->remember({.name = name,
                    .kind = State::Kind::kFlag,
                    .value = flag_value(name, value, true),
                    .help = text});
}

void Options::flag_off(const std::string& name, bool& value, const std::string& text) {
  state_->app
      .add_flag_callback(
          "--" + name, [&value] { value = false; }, text)
      ->group(state_->heading);
  state_->remember({.name = name,
                    .kind = State::Kind::kFlag,
                    .value = flag_value(name, value, false),
                    .help = text});
}

void Options::reads(const std::string& option, const std::string& path) {
  state_->declared_files.insert(option);
  state_->guard.reads([option, &path] { return std::vector<InputFile>{{option, path}}; });
}

void Options::reads(FileGuard::Inputs inputs) {
  state_->guard.reads(std::move(inputs));
}

void Options::writes(const OutputFile& output, const std::string& path) {
  state_->declared_files.insert(output.option);
  writes([output, &path] {
    std::vector<OutputFile> outputs = {output};
    outputs.front().path = path;
    return outputs;
  });
}

void Options::writes(FileGuard::Outputs outputs) {
  if (!state_->guard.has_outputs()) {
    flag("overwrite", state_->overwrite, "replace existing files of another kind, too");
  }
  state_->guard.writes(std::move(outputs));
}

void Options::refuse(const std::string& name, const std::string& text) {
  state_->refused.emplace(name, text);
}

void Options::config_file() {
  state_->app.config_formatter(std::make_shared<ConfigReader>());
  state_->app.set_config("--config", "", "options from a file, a line each: epochs=5")
      ->option_text("FILE")
      ->group(state_->heading);
  state_->app.allow_config_extras(CLI::config_extras_mode::error);
  reads([this] {
    const CLI::Option* const file = state_->app.get_config_ptr();
    std::vector<InputFile> inputs;
    for (const std::string& path : file->results()) inputs.push_back({"--config", path});
    return inputs;
  });
}

VerbPage Options::page() const {
  VerbPage page = {.verb = state_->verb_name,
                   .summary = state_->app.get_description(),
                   .closing = state_->closing,
                   .options = {}};
  for (const State::Entry& entry : state_->entries) {
    page.options.push_back({.name = entry.name,
                            .type = entry.type,
                            .help = entry.help,
                            .heading = entry.heading,
                            .is_field = entry.is_field,
                            .is_positional = entry.kind == State::Kind::kPositional});
  }
  if (const CLI::Option* const file = state_->app.get_config_ptr(); file != nullptr) {
    page.options.push_back({.name = "config",
                            .type = "FILE",
                            .help = file->get_description(),
                            .heading = file->get_group()});
  }
  return page;
}

// An option that nobody declared would not be protected.
void Options::check_files_are_declared() const {
  for (const State::Entry& entry : state_->entries) {
    if (entry.names_file() && !state_->declared_files.contains("--" + entry.name)) {
      throw std::logic_error(fmt::format("--{} is neither input nor output", entry.name));
    }
  }
}

// A variable of the shell that is not set is not the same as an option that is not given.
void Options::check_files_are_named() const {
  for (const State::Entry& entry : state_->entries) {
    if (!entry.names_file() || !given(entry.name) || !entry.value.show().empty()) continue;
    throw Error(fmt::format("--{}: the name of the file is empty; give one", entry.name));
  }
}

void Options::check_names(const std::vector<std::string>& given, const std::string& where) const {
  for (const std::string& name : given) {
    if (state_->takes_value(name)) continue;
    if (const auto refused = state_->refused.find(name); refused != state_->refused.end()) {
      throw Error(fmt::format("{}--{}: {}", where, name, refused->second));
    }
    std::vector<std::string> flags;
    for (const State::Entry& entry : state_->entries) {
      if (entry.kind != State::Kind::kPositional) flags.push_back("--" + entry.name);
    }
    const std::vector<std::string_view> names(flags.begin(), flags.end());
    throw Error(fmt::format("{}there is no option --{}{}; see `{} --help`", where, name,
                            suggestion("--" + name, names), state_->command));
  }
}

void Options::check_config_file() const {
  const CLI::Option* const file = state_->app.get_config_ptr();
  if (file == nullptr) return;
  for (const std::string& path : file->results()) {
    std::vector<std::string> names;
    for (const CLI::ConfigItem& item : state_->app.get_config_formatter()->from_file(path)) {
      names.push_back(item.fullname());
    }
    check_names(names, path + ": ");
  }
}

bool Options::parse(const Arguments& arguments) {
  check_files_are_declared();
  if (arguments == Arguments{kPageFlag}) {
    collected_pages().push_back(page());
    return false;
  }
  if (arguments == Arguments{kMarkdownFlag}) {
    fmt::print("{}\n", verb_markdown(state_->command, page()));
    return false;
  }
  const TakesValue takes_value = [this](const std::string& name) {
    return state_->takes_value(name);
  };
  check_names(words_of(arguments, takes_value).options, "");
  const auto positionals = static_cast<std::size_t>(
      std::ranges::count(state_->entries, State::Kind::kPositional, &State::Entry::kind));
  Arguments named = with_model_named(arguments, takes_value, state_->model_place, positionals);
  try {
    std::ranges::reverse(named);
    state_->app.parse(std::move(named));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", with_single_gaps(state_->app.help()));
    return false;
  } catch (const CLI::ConfigError& error) {
    check_config_file();
    throw Error(fmt::format("{}; see `{} --help`", error.what(), state_->command));
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{}; see `{} --help`", error.what(), state_->command));
  }
  check_files_are_named();
  state_->guard.check(state_->overwrite);
  return true;
}

void Options::assign(const std::string& name, const std::string& text) {
  std::vector<std::string_view> names;
  for (const State::Entry& entry : state_->entries) {
    if (entry.name == name) return entry.value.set(text);
    names.emplace_back(entry.name);
  }
  throw Error(fmt::format("there is no option '{}'{}; there are {}", name, suggestion(name, names),
                          fmt::join(names, ", ")));
}

void Options::assign_again() {
  for (CLI::Option* option : state_->app.get_options()) {
    if (option->count() > 0) option->run_callback();
  }
}

std::vector<std::pair<std::string, std::string>> Options::values() const {
  std::vector<std::pair<std::string, std::string>> shown;
  for (const State::Entry& entry : state_->entries) {
    shown.emplace_back(entry.name, entry.value.show());
  }
  return shown;
}

bool Options::overwrites() const {
  return state_->overwrite;
}

bool Options::given(const std::string& name) const {
  return state_->app.count("--" + name) > 0;
}

Arguments Options::arguments() const {
  Arguments arguments;
  for (const State::Entry& entry : state_->entries) {
    const std::string value = entry.value.show();
    if (value == entry.declared) continue;
    if (entry.kind != State::Kind::kPositional) arguments.push_back("--" + entry.name);
    if (entry.kind != State::Kind::kFlag) arguments.push_back(value);
  }
  return arguments;
}

}  // namespace cane::cli
