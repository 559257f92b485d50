// The rows of a comparison as the user names them:
//   METHOD[:SELECT][:CANDIDATES+NOISES or :NOISES][:OPTION=VALUE ...]
// cane:narrow:9+1:rank=32, nce:10, hsm:tree=huffman, softmax:lr=0.5. An option is one of `cane
// train`, by its name there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"

namespace cane::cli {

struct MethodSpec {
  std::string name;  // as the user wrote it
  TrainConfig config;
};

/// A list with commas. Each takes what it does not say itself from `common`. Throws Error, naming
/// the one that is wrong, with the names there are and the nearest of them.
std::vector<MethodSpec> parse_methods(const std::string& list, const TrainConfig& common);

/// Name and value of each option that a specification can set.
std::vector<std::pair<std::string, std::string>> method_options(TrainConfig config);

}  // namespace cane::cli
