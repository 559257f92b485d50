#include "cli/cane-lm/head_spec.h"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <sstream>

#include "cane/error.h"

namespace cane::lm {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

HeadSpec parse_head(const std::string& text, const ModelOptions& model, const TrainOptions& train) {
  const std::vector<std::string> parts = split(text, ':');
  auto model_values = as_text(model);
  auto train_values = as_text(train);
  if (!parts.empty()) model_values["head"] = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    const std::string name = parts[i].substr(0, equals);
    const bool of_model = model_values.contains(name) && name != "head";
    if (equals == std::string::npos || (!of_model && !train_values.contains(name))) {
      throw Error(
          fmt::format("--heads: '{}' in '{}' does not fit; give OPTION=VALUE with an option "
                      "of `cane-lm train`",
                      parts[i], text));
    }
    (of_model ? model_values : train_values)[name] = parts[i].substr(equals + 1);
  }
  return {text, model_options_from(model_values), train_options_from(train_values)};
}

}  // namespace

std::string HeadSpec::file_name() const {
  std::string safe;
  for (const char character : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0;
    safe += plain || character == '.' || character == '-' ? character : '-';
  }
  return safe;
}

std::vector<HeadSpec> parse_heads(const std::string& list, const ModelOptions& model,
                                  const TrainOptions& train) {
  std::vector<HeadSpec> specs;
  std::set<std::string> names;
  for (const std::string& text : split(list, ',')) {
    specs.push_back(parse_head(text, model, train));
    if (!names.insert(specs.back().file_name()).second) {
      throw Error(fmt::format("--heads: '{}' is there twice", text));
    }
  }
  if (specs.empty()) throw Error("--heads: there is none; give softmax,adaptive say");
  return specs;
}

}  // namespace cane::lm
