// The pictures of `cane test --report`, as SVG. A picture without anything to show is empty.
#pragma once

#include <string>
#include <vector>

#include "cane/predict.h"
#include "cli/cane/test/tables.h"

namespace cane::cli {

/// Without the bins of a few examples.
std::string reliability_chart(const EvaluationDetails& details);
std::string risk_chart(const EvaluationDetails& details);
std::string frequency_chart(const EvaluationDetails& details);
std::string beam_chart(const std::vector<BeamMeasure>& beams);
/// The classes of the most frequent errors, against one another.
std::string confusion_chart(const EvaluationDetails& details,
                            const std::vector<std::string>& labels);

}  // namespace cane::cli
