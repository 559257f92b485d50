#include "app/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options_state.h"
#include "cane/error.h"
#include "cane/names.h"

namespace cane::cli {
namespace {

constexpr std::size_t kColumn = 34;

std::string with_default(const std::string& text, const std::string& value) {
  return value.empty() ? text : fmt::format("{} [{}]", text, value);
}

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
