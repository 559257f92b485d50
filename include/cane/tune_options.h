// Options of the hyperparameter search. The defaults are the ones that `cane tune --help` prints.
#pragma once

#include <cstdint>

namespace cane {

/// kHalving: successive halving, which trains many configurations on little data, the better half
/// of them on twice as much, and so on. kPaper: the protocol of the paper, every rate of its grid
/// on half an epoch.
enum class Protocol { kHalving, kPaper };

/// Options that the search may change. Options that the method does not use are never changed.
struct Tunable {
  bool lr = true;
  bool optimizer = true;
  bool l2 = true;
  /// Of the lengths that the best configuration was tried with, the best; only if it was tried with
  /// all epochs.
  bool epochs = true;
  bool candidates = true;
  bool arity = true;
  bool noise_power = true;
  /// lomtree only.
  bool nodes = true;
  bool swap_resistance = true;
};

struct TuneOptions {
  static constexpr double kDefaultSeconds = 300.0;

  Protocol protocol = Protocol::kHalving;
  Tunable search;
  /// If positive, the maximum number of trials, regardless of time. Training is then deterministic:
  /// the same seed finds the same options.
  std::uint32_t trials = 0;
  /// Time limit, used if `trials` is 0: no trial starts that would probably end later. 0:
  /// kDefaultSeconds, or with kPaper the time that its whole grid takes, deterministically.
  double seconds = 0.0;
  /// Fraction of the examples that accuracy is measured on.
  double held_out = 0.1;
};

}  // namespace cane
