// What the user typed, against what the verb has declared.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "app/arguments.h"
#include "app/options_page.h"
#include "app/options_state.h"
#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

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

}  // namespace

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

}  // namespace cane::cli
