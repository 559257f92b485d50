// What a comparison found, and the files that show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cane::lm {

struct CurvePoint {
  std::uint32_t epoch;
  double seconds;  // of training
  double perplexity;
};

struct HeadResult {
  std::string name;
  std::uint32_t best_epoch = 0;
  double valid = 0.0;
  std::optional<double> test;
  double seconds = 0.0;
  std::vector<CurvePoint> curve;
};

/// Throws Error if the folder cannot be made or written to.
void prepare_folder(const std::string& path);
/// results.csv, curves.csv and two pictures, each replaced at once.
void write_results(const std::string& folder, const std::vector<HeadResult>& results);
std::string as_table(const std::vector<HeadResult>& results);

}  // namespace cane::lm
