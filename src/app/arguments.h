// What the words of a command line are, before they are parsed: which of them name options, which
// are positional, and which of these is a model.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/verb.h"

namespace cane::cli {

/// Whether the option of this name, without dashes, takes a value; nothing if there is none.
using TakesValue = std::function<std::optional<bool>(const std::string& name)>;

struct CommandWords {
  std::vector<std::string> options;      // the names that were given, without dashes
  std::vector<std::size_t> positionals;  // places in the arguments
};

CommandWords words_of(const Arguments& arguments, const TakesValue& takes_value);

/// Where a verb takes its model from if --model is not given.
enum class ModelPlace {
  kNowhere,
  kAnywhere,  // the first positional argument that is a model by its content
  kSecond,    // the second positional argument: the model is yet to be made
};

/// The arguments with the positional one that is the model given by --model. Throws Error if there
/// are more positional arguments than `positionals` and none of them is a model.
Arguments with_model_named(Arguments arguments, const TakesValue& takes_value, ModelPlace place,
                           std::size_t positionals);

}  // namespace cane::cli
