#include "predict/risk.h"

#include <algorithm>

namespace cane {
namespace {

RiskPoint point_of(double least_probability, std::size_t answered, std::size_t errors,
                   std::size_t examples) {
  const auto share = [](std::size_t part, std::size_t all) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(all, 1));
  };
  return {least_probability, share(answered, examples), share(errors, answered)};
}

}  // namespace

RiskPoint risk_at(std::span<const Outcome> outcomes, float least_probability) {
  std::size_t answered = 0;
  std::size_t errors = 0;
  for (const Outcome& outcome : outcomes) {
    if (!(outcome.probability >= least_probability)) continue;
    ++answered;
    errors += outcome.correct() ? 0 : 1;
  }
  return point_of(static_cast<double>(least_probability), answered, errors, outcomes.size());
}

std::vector<RiskPoint> risk_curve(std::span<const Outcome> outcomes) {
  struct Answer {
    float probability;
    bool correct;
  };
  std::vector<Answer> answers;
  answers.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) {
    // NaN cannot be sorted; no answer is less sure.
    answers.push_back({std::max(0.0F, outcome.probability), outcome.correct()});
  }
  std::sort(answers.begin(), answers.end(),
            [](const Answer& a, const Answer& b) { return a.probability > b.probability; });
  std::vector<RiskPoint> points;
  const std::size_t step = (answers.size() + kRiskPoints - 2) / (kRiskPoints - 1);
  std::size_t errors = 0;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    errors += answers[i].correct ? 0 : 1;
    // Equal probabilities are answered together.
    const bool is_last = i + 1 == answers.size();
    if (!is_last && answers[i + 1].probability == answers[i].probability) continue;
    if (!is_last && i + 1 < shown + step) continue;
    shown = i + 1;
    points.push_back(
        point_of(static_cast<double>(answers[i].probability), i + 1, errors, answers.size()));
  }
  return points;
}

}  // namespace cane
