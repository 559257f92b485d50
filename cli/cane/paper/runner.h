// Carries the plan out, one run after the other. A run that is complete is kept in a folder named
// by its fingerprint and never made twice.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/progress_bar.h"
#include "cli/cane/paper/fingerprint.h"
#include "cli/cane/paper/outcome.h"
#include "cli/cane/paper/plan.h"
#include "core/base/stopwatch.h"

namespace cane::cli::paper {

struct Programs {
  std::string cane;
  std::string cane_lm;        // empty: not there
  std::string vowpal_wabbit;  // empty: not there
};

class Runner {
 public:
  /// Runs are kept in the folder `runs` of the report's, made data in `data`.
  Runner(const std::string& report_folder, const Programs& programs, bool quiet);

  /// The runs that an earlier call has completed.
  Outcomes kept(const std::vector<Run>& plan);

  /// Makes all runs that are not there, and calls `done(outcomes)` after each. Returns false if the
  /// user stopped it. A run that fails has its error as its outcome, and the others go on.
  bool run(const std::vector<Run>& plan, Outcomes& outcomes,
           const std::function<void(const Outcomes&)>& done);

 private:
  /// `run` with what its tuning has picked.
  static Run resolved(const Run& run, const Outcomes& outcomes);
  std::string folder_of(const Run& resolved);
  Outcome make(const Run& resolved, const std::string& folder);
  void show(const Run& run, double seconds);

  std::string runs_folder_;
  std::string data_folder_;
  Programs programs_;
  bool quiet_;
  Fingerprints fingerprints_;
  ProgressBar bar_;
  // Of the runs to be made: how many, and their expected seconds; done already, and really taken.
  std::size_t count_ = 0;
  std::size_t done_ = 0;
  double expected_ = 0.0;
  double expected_done_ = 0.0;
  double taken_ = 0.0;
};

}  // namespace cane::cli::paper
