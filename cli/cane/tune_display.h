// Shows a search for options on stderr: a table line for every trial and, on a terminal, its
// progress.
#pragma once

#include <cstddef>
#include <string>

#include "app/json_lines.h"
#include "app/progress_bar.h"
#include "cane/tune.h"

namespace cane::cli {

/// The values of the searched options, under their command-line names.
void set_searched(Json& json, const TrainConfig& config, const Tunable& searched);

class TuneDisplay : public TuneObserver {
 public:
  TuneDisplay(bool quiet, const TuneOptions& options) : quiet_(quiet), options_(options) {}

  void on_begin(const Tunable& searched) override;
  void on_message(const std::string& text) override;
  void on_progress(const TuneProgress& progress) override;
  void on_trial(const Trial& trial) override;
  bool stop_requested() override;

  /// Valid once the search has begun.
  const Tunable& searched() const { return searched_; }

 private:
  bool quiet_;
  const TuneOptions& options_;
  Tunable searched_;
  ProgressBar bar_;
  std::size_t trials_ = 0;
};

}  // namespace cane::cli
