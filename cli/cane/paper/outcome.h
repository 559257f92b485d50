// What a run has measured, read from the files that its commands wrote.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/cane/paper/plan.h"

namespace cane::cli::paper {

using Values = std::map<std::string, double>;

/// A method or head of a comparison.
struct MeasuredRow {
  std::string name;
  std::string error;
  bool is_estimated = false;  // the times are; there is nothing else
  Values values;              // by the names of results.json; what is missing there is missing here
  std::vector<Values> curve;  // with "epoch" and "seconds"
  std::map<std::string, std::string> options;

  std::optional<double> value(const std::string& name) const;
};

struct Trial {
  std::string options;          // "lr=0.01:noise-power=0.5"
  std::optional<double> value;  // accuracy or perplexity; none: it failed
};

struct Outcome {
  // As it was run.
  std::vector<std::string> commands;
  std::string started;
  std::string machine;
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;
  std::string error;  // why there is no result; empty: there is one
  // What it measured.
  std::vector<MeasuredRow> rows;
  std::vector<Trial> trials;  // of a tuning
  std::string picked;

  const MeasuredRow& row() const { return rows.front(); }
};

/// Outcomes by the id of their run.
using Outcomes = std::map<std::string, Outcome>;

/// Reads what the run left in its folder. Throws Error if that is not what its commands write.
Outcome read_outcome(const Run& run, const std::string& folder);

/// The share of Vowpal Wabbit's predictions that are the labels at the beginnings of the lines of
/// its test file.
double vw_accuracy(const std::string& test_path, const std::string& predictions_path);

inline constexpr const char* kRecordName = "run.json";
/// Writes how the run was made; its presence says that the run is complete.
void write_record(const Outcome& outcome, const std::string& id, const std::string& folder);

}  // namespace cane::cli::paper
