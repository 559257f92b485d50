// Finding options: configurations are trained on a part of the data and measured on another part.
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
  TrainConfig config;      // with the values that were chosen for the data, where it left any open
  std::uint32_t rung = 0;  // how often its share of the data has been doubled
  double epochs = 0.0;     // below 1: one pass over this share of the data
  double accuracy = 0.0;   // on the examples held out
  double seconds = 0.0;    // training and measuring
  std::string error;       // why there is no accuracy, as when the loss exploded; empty: there is
};

struct TuneProgress {
  std::size_t trial = 0;  // counted from 1
  double epochs = 0.0;
  double seconds = 0.0;  // since the search began
  TrainProgress training;
};

/// Told what happens, and asked whether to go on. All calls come from the thread that called tune.
class TuneObserver {
 public:
  virtual ~TuneObserver() = default;
  /// Before the first trial: what the search will change.
  virtual void on_begin(const Tunable& /*searched*/) {}
  virtual void on_message(const std::string& /*text*/) {}
  virtual void on_progress(const TuneProgress&) {}
  virtual void on_trial(const Trial&) {}
  /// True: stop at the next batch, return the best so far.
  virtual bool stop_requested() { return false; }
};

struct TuneResult {
  /// The options asked for, with those that were found; train with it on all of the data.
  TrainConfig config;
  std::vector<Trial> trials;
  /// The trial that won; none if the search was stopped before one was finished.
  std::optional<std::size_t> best;
  bool interrupted = false;
};

/// Searches from `config`, whose other options stay as they are. A configuration whose training
/// throws Error has lost; Error is thrown if all do, or if the options are impossible.
TuneResult tune(const Dataset& data, const TrainConfig& config = {},
                const TuneOptions& options = {}, TuneObserver* observer = nullptr);

}  // namespace cane
