// The rows of a comparison as the user names them: HEAD[:OPTION=VALUE ...].
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lm/engine/options.h"

namespace cane::lm {

struct HeadSpec {
  std::string name;  // as the user wrote it
  ModelOptions model;
  LmTrainOptions train;
  std::vector<std::pair<std::string, std::string>> options;  // current values of both

  /// The name, with everything but letters, digits, points and dashes replaced.
  std::string file_name() const;
};

/// Parses a comma-separated list. Each entry takes what it does not set from `model` and `train`.
/// Throws Error that names the invalid entry.
std::vector<HeadSpec> parse_heads(const std::string& list, const ModelOptions& model,
                                  const LmTrainOptions& train);

}  // namespace cane::lm
