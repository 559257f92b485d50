// What an evaluation measured in detail, as CSV files (docs/file-formats.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/predict.h"

namespace cane::cli {

/// A line for every class of the model.
std::string classes_csv(const EvaluationDetails& details, const std::vector<std::string>& labels);
std::string confused_csv(const EvaluationDetails& details, const std::vector<std::string>& labels);
std::string reliability_csv(const EvaluationDetails& details);
std::string risk_csv(const EvaluationDetails& details);
std::string frequency_csv(const EvaluationDetails& details);

/// What a search finds with another beam.
struct BeamMeasure {
  std::uint32_t beam = 0;
  double coverage = 0.0;
  double accuracy = 0.0;
  double rows_per_example = 0.0;
};
std::string beams_csv(const std::vector<BeamMeasure>& beams);

}  // namespace cane::cli
