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

/// Parses a comma-separated list. Each entry takes what it does not set from `common`. Throws Error
/// that names the invalid entry, the valid names and the nearest of them.
std::vector<MethodSpec> parse_methods(const std::string& list, const TrainConfig& common);

/// Name and value of each option that a specification can set.
std::vector<std::pair<std::string, std::string>> method_options(TrainConfig config);

}  // namespace cane::cli
