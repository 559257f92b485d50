// How options for training are searched. Each default is the one that `cane tune --help` prints.
#pragma once

#include <cstdint>

namespace cane {

/// kHalving: many configurations on little data, the better half of them on twice as much, and so
/// on. kPaper: the protocol of the paper, every rate of its grid on half an epoch.
enum class Protocol { kHalving, kPaper };

/// What a search may change. What plays no part in the method is left alone in any case.
struct Tunable {
  bool lr = true;
  bool optimizer = true;
  bool candidates = true;
  bool arity = true;
  bool noise_power = true;
  /// Of lomtree and recall-tree.
  bool nodes = true;
  bool swap_resistance = true;
  bool max_candidates = true;
};

struct TuneOptions {
  static constexpr double kDefaultSeconds = 300.0;

  Protocol protocol = Protocol::kHalving;
  Tunable search;
  /// Above 0: at most so many trials, however long they take. They are trained deterministically:
  /// the same seed finds the same options.
  std::uint32_t trials = 0;
  /// Where `trials` is 0: no trial begins that would probably end later. 0: kDefaultSeconds, or
  /// with kPaper as long as its grid takes, deterministically.
  double seconds = 0.0;
  /// The share of the examples that accuracy is measured on.
  double held_out = 0.1;
};

}  // namespace cane
