// One entry of a comparison: NAME[:OPTION=VALUE ...].
#pragma once

#include <string>
#include <vector>

#include "lm/engine/options.h"

namespace cane::lm {

struct HeadSpec {
  std::string name;  // as it was given
  ModelOptions model;
  TrainOptions train;

  /// Letters, digits, dots and dashes of the name.
  std::string file_name() const;
};

/// Separated by commas; options not given are those of `model` and `train`. Throws Error.
std::vector<HeadSpec> parse_heads(const std::string& list, const ModelOptions& model,
                                  const TrainOptions& train);

}  // namespace cane::lm
