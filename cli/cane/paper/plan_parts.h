// The parts of the plan beside those of a classification.
#pragma once

#include "cli/cane/paper/plan.h"

namespace cane::cli::paper {

/// A rate, start and scale of the features under which the coverage of Table 3 is measured.
struct RateRow {
  std::string label;
  std::string options;  // of the specification
  const char* normalize;
  std::uint32_t divides_epochs;  // it is trained for this part of the epochs
};
std::vector<RateRow> rate_rows();

/// One deviation from the paper's setting of CANE with the most candidates, to see its effect.
struct Effect {
  std::string label;
  std::string options;        // of the specification, instead of those of the paper
  bool has_own_rate = false;  // the rate that was tuned for the paper's setting does not fit
};
std::vector<Effect> effects();

/// The methods of a comparison as options of `cane tune`: "nce:10" is --method nce --noises 10.
Arguments options_of_spec(const std::string& spec);
/// Options that leave features as they are: words between blanks, counted, not scaled.
Arguments plain_features(const FoundSet& set);

/// Table 2 by Vowpal Wabbit: two commands a tree, training and testing.
void add_vowpal_wabbit(const FoundSet& set, const Effort& effort, const PlanOptions& options,
                       std::vector<Run>& runs);
void add_theorems(std::vector<Run>& runs);
/// Synthetic data with 1,000 to a million classes, and all methods on it.
void add_cost(const Effort& effort, const PlanOptions& options, std::vector<Run>& runs);
/// Figure 3.
void add_language(const std::vector<FoundSet>& sets, const Effort& effort,
                  const PlanOptions& options, std::vector<Run>& runs);

}  // namespace cane::cli::paper
