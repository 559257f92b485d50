// Hyperparameter search: configurations are trained on one part of the data and evaluated on
// another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/dataset.h"
#include "cane/train.h"
#include "cane/tune_options.h"

namespace cane {

struct Trial {
  TrainConfig config;      // with every automatic option resolved to the value that was used
  std::uint32_t rung = 0;  // how many times its share of the data has been doubled
  double epochs = 0.0;     // below 1: one pass over this share of the data
  double accuracy = 0.0;   // on the held-out examples
  double seconds = 0.0;    // training and evaluation
  std::string error;       // why there is no accuracy, e.g. the loss diverged; empty: success
};

struct TuneProgress {
  std::size_t trial = 0;  // counted from 1
  double epochs = 0.0;
  double seconds = 0.0;  // since the search began
  TrainProgress training;
};

/// Receives progress and can request a stop. All calls come from the thread that called tune.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  /// Called before the first trial with the options that will be searched.
  virtual void on_begin(const Tunable& /*searched*/) {}
  virtual void on_message(const std::string& /*text*/) {}
  virtual void on_progress(const TuneProgress&) {}
  virtual void on_trial(const Trial&) {}
  /// Return true to stop at the next batch and return the best result so far.
  virtual bool stop_requested() { return false; }
};

struct TuneResult {
  /// The requested options with the best values found; use it to train on all of the data.
  TrainConfig config;
  std::vector<Trial> trials;
  /// Index of the winning trial; empty if the search stopped before any trial finished.
  std::optional<std::size_t> best;
  bool interrupted = false;
};

/// Searches from `config`; options that are not searched keep their values. A configuration whose
/// training throws Error loses. Throws Error if every configuration fails or if the options are
/// invalid.
TuneResult tune(const Dataset& data, const TrainConfig& config = {},
                const TuneOptions& options = {}, TuneObserver* observer = nullptr);

}  // namespace cane
