// What is gained by withholding unsure answers: the share of the examples that are answered
// (coverage) against the share of errors among these (risk).
#pragma once

#include <span>
#include <vector>

#include "predict/measures.h"

namespace cane {

/// With answers below `least_probability` withheld. Nothing answered: no risk.
RiskPoint risk_at(std::span<const Outcome> outcomes, float least_probability);

/// At most kRiskPoints points, from the surest answers to all of them, at about equal steps of
/// coverage. Each is what risk_at() says of its least probability.
inline constexpr std::size_t kRiskPoints = 100;
std::vector<RiskPoint> risk_curve(std::span<const Outcome> outcomes);

}  // namespace cane
