#include "app/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "cane/error.h"
#include "core/file/file_kind.h"

namespace cane::cli {
namespace {

// Models of the other program count: the message about it is the better one.
bool is_model(const std::string& path) {
  const FileKind kind = kind_of_file(path);
  return kind == FileKind::kModel || kind == FileKind::kCheckpoint ||
         kind == FileKind::kLanguageModel || kind == FileKind::kLanguageModelCheckpoint;
}

}  // namespace

CommandWords words_of(const Arguments& arguments, const TakesValue& takes_value) {
  CommandWords words;
  bool only_positionals = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (only_positionals || word == "-" || !word.starts_with('-')) {
      words.positionals.push_back(i);
    } else if (word == "--") {
      only_positionals = true;
    } else if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      words.options.push_back(word.substr(2, equals == word.npos ? equals : equals - 2));
      const bool value_follows = equals == word.npos;
      if (value_follows && takes_value(words.options.back()).value_or(false)) ++i;
    }
  }
  return words;
}

Arguments with_model_named(Arguments arguments, const TakesValue& takes_value, ModelPlace place,
                           std::size_t positionals) {
  const CommandWords words = words_of(arguments, takes_value);
  if (place == ModelPlace::kNowhere || std::ranges::count(words.options, "model") > 0) {
    return arguments;
  }
  auto model = words.positionals.end();
  if (place == ModelPlace::kAnywhere) {
    model = std::ranges::find_if(words.positionals,
                                 [&](std::size_t word) { return is_model(arguments[word]); });
  } else if (words.positionals.size() > 1) {
    model = words.positionals.begin() + 1;
  }
  if (model != words.positionals.end()) {
    arguments[*model].insert(0, "--model=");
    // Behind "--" it would not be an option.
    std::rotate(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(*model),
                arguments.begin() + static_cast<std::ptrdiff_t>(*model) + 1);
  } else if (words.positionals.size() > positionals) {
    std::string given;
    for (const std::size_t word : words.positionals) {
      given += fmt::format("{}{}", given.empty() ? "" : ", ", quoted(arguments[word]));
    }
    throw Error(fmt::format("none of {} is a model; name one with --model", given));
  }
  return arguments;
}

}  // namespace cane::cli
