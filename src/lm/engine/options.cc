#include "lm/engine/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

#include "cane/error.h"
#include "core/base/words.h"

namespace cane::lm {
namespace {

template <typename T>
std::string show(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else
    return fmt::format("{}", value);
}

template <typename T>
void parse(const std::string& name, const std::string& text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false") {
      throw Error(fmt::format("--{}: '{}' does not fit; give true or false", name, text));
    }
    value = text == "true";
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = text;
  } else {
    value = cli::parse_number<T>("--" + name, text);
  }
}

void check(bool holds, const char* name, const char* rule) {
  if (!holds) throw Error(fmt::format("--{}: it must be {}", name, rule));
}

void check_name(const char* option, const std::string& value,
                std::initializer_list<const char*> names) {
  if (std::ranges::find(names, value) != names.end()) return;
  throw Error(
      fmt::format("--{}: there is no '{}'; there are {}", option, value, fmt::join(names, ", ")));
}

auto reader(const std::map<std::string, std::string>& values) {
  return [&values](const char* name, auto& value, const char*) {
    const auto found = values.find(name);
    if (found == values.end()) throw Error(fmt::format("the option '{}' is missing", name));
    parse(name, found->second, value);
  };
}

auto writer(std::map<std::string, std::string>& values) {
  return
      [&values](const char* name, const auto& value, const char*) { values[name] = show(value); };
}

}  // namespace

void check_options(const ModelOptions& options) {
  constexpr std::int64_t kMaxWidth = 1 << 16;
  const BodyOptions& body = options.body;
  const auto is_width = [&](std::int64_t value) { return value >= 1 && value <= kMaxWidth; };
  check(is_width(body.embedding), "embedding", "between 1 and 65536");
  check(is_width(body.hidden), "hidden", "between 1 and 65536");
  check(body.projection >= 0 && body.projection < body.hidden, "projection",
        "smaller than --hidden, or 0 for none");
  check(body.layers >= 1 && body.layers <= 64, "layers", "between 1 and 64");
  check(body.dropout >= 0.0 && body.dropout < 1.0, "dropout", "at least 0 and below 1");
  check(!body.tied || body.embedding == body.width(), "tied",
        "left out unless --embedding is as wide as --projection (or --hidden without one)");
  if (std::ranges::find(head_names(), options.head.name) == head_names().end()) {
    throw Error(fmt::format("--head: there is no '{}'; there are {}", options.head.name,
                            fmt::join(head_names(), ", ")));
  }
}

void check_options(const LmTrainOptions& options) {
  check(options.epochs >= 1, "epochs", "at least 1");
  check(options.batch >= 1 && options.batch <= (1U << 20), "batch", "between 1 and 1048576");
  check(options.length >= 1 && options.length <= (1U << 16), "length", "between 1 and 65536");
  check_name("optimizer", options.optimizer, {"sgd", "adagrad", "adam"});
  check_name("precision", options.precision, {"float32", "bfloat16"});
  check(options.rate >= 0.0, "lr", "at least 0");
  check(options.clip >= 0.0, "clip", "at least 0");
  check(options.decay > 0.0 && options.decay <= 1.0, "decay", "above 0 and at most 1");
}

double first_rate(const LmTrainOptions& options) {
  if (options.rate > 0.0) return options.rate;
  return options.optimizer == "sgd" ? 1.0 : options.optimizer == "adagrad" ? 0.1 : 0.001;
}

std::map<std::string, std::string> as_text(const ModelOptions& options) {
  std::map<std::string, std::string> values;
  visit_model_options(options, writer(values));
  return values;
}

std::map<std::string, std::string> as_text(const LmTrainOptions& options) {
  std::map<std::string, std::string> values;
  visit_train_options(options, writer(values));
  return values;
}

ModelOptions model_options_from(const std::map<std::string, std::string>& values) {
  ModelOptions options;
  visit_model_options(options, reader(values));
  check_options(options);
  return options;
}

LmTrainOptions train_options_from(const std::map<std::string, std::string>& values) {
  LmTrainOptions options;
  visit_train_options(options, reader(values));
  check_options(options);
  return options;
}

}  // namespace cane::lm
