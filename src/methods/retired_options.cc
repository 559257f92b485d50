#include "methods/retired_options.h"

#include "methods/method_table.h"

namespace cane {

void adopt(RetiredOptions& retired, TrainConfig& config) {
  if (row_of(config.method).has_node_candidates && retired.max_candidates > 0) {
    config.candidates = retired.max_candidates;
    if (retired.max_depth != RetiredOptions::kNoDepth) {
      config.nodes = (std::uint32_t{1} << retired.max_depth) - 1;
    }
  }
  retired.max_candidates = 0;
  retired.max_depth = RetiredOptions::kNoDepth;
}

}  // namespace cane
