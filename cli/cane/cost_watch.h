// Compares what a training took with what it was expected to take, as `cane train --dry-run` says
// it: the memory by the sizes of its parts, the time by its first batches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cane/train.h"
#include "core/base/stopwatch.h"

namespace cane::cli {

/// What is far from what was expected, a line each. `promised`: seconds, 0 if nothing was promised.
std::vector<std::string> cost_warnings(double promised, double seconds,
                                       std::uint64_t expected_bytes, std::uint64_t peak_bytes);

/// The largest resident memory of this process so far.
std::uint64_t peak_memory();

class CostWatch {
 public:
  void look(const TrainProgress& progress);
  /// The time that training promised once it had run for as long as --dry-run measures; 0: it
  /// ended before.
  double promised() const { return promised_; }

 private:
  std::optional<Stopwatch> since_start_;
  double promised_ = 0.0;
};

}  // namespace cane::cli
