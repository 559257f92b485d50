// Compares what a training took with what it was expected to take, as `cane train --dry-run`
// estimates it: the memory by the sizes of its parts, the time by its first batches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cane/train.h"
#include "core/base/stopwatch.h"

namespace cane::cli {

/// A warning for each figure that is far from its estimate. `predicted`: seconds, 0: none.
std::vector<std::string> cost_warnings(double predicted, double seconds,
                                       std::uint64_t expected_bytes, std::uint64_t peak_bytes);

/// The largest resident memory of this process so far.
std::uint64_t peak_memory();

class CostWatch {
 public:
  void look(const TrainProgress& progress);
  /// The total time predicted once training had run for as long as --dry-run measures; 0: it ended
  /// before.
  double predicted() const { return predicted_; }

 private:
  std::optional<Stopwatch> since_start_;
  double predicted_ = 0.0;
};

}  // namespace cane::cli
