#include "search/proposal.h"

#include <algorithm>
#include <cmath>

namespace cane {
namespace {

// Share of the noise samples that is drawn uniformly.
constexpr double kFloor = 0.1;

float log_mixture(bool has_mass, double probability, double uniform) {
  if (!has_mass) return static_cast<float>(std::log(uniform));
  return static_cast<float>(std::log((1.0 - kFloor) * probability + kFloor * uniform));
}

}  // namespace

void ProposalWorker::project(std::span<const RowView> rows) {
  if (!has_projection()) {
    projected_ = rows;
    return;
  }
  const BlockShape shape = projection_.layout->shape(0);
  inputs_.resize(rows.size() * shape.stride);
  views_.clear();
  tasks_.clear();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    float* input = inputs_.data() + e * shape.stride;
    tasks_.push_back({rows[e], 0.0F, input});
    views_.push_back({nullptr, input, projection_.rank});
  }
  projected_ = views_;
  projection_.weights.score_block(*projection_.layout, 0, tasks_);
}

void ProposalWorker::select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
                            std::uint32_t width, std::uint32_t keep, Selection& selection) {
  project(rows);
  proposed_.clear();
  const std::uint64_t proposal_rows = propose(std::min(width, scorer().classes()), proposed_);
  scores_.resize(proposed_.classes.size());
  selection.clear();
  selection.rows_scored = score_proposed(rows, proposed_, scores_.data());
  selection.rows_scored += has_projection() ? proposal_rows * (projection_.rank + 1) /
                                                  (projection_.layout->dimension() + 1)
                                            : proposal_rows;
  rerank(proposed_, scores_, keep, selection);
}

void ProposalWorker::draw(std::uint32_t example, std::span<const ClassId> excluded,
                          const CounterRandom& random, std::uint64_t number,
                          std::span<ClassId> noises, std::span<float> log_q) {
  if (projected_.empty()) {
    uniform_.sample(excluded, random, number, noises, log_q);
    return;
  }
  const std::uint64_t outside = scorer().classes() - excluded.size();
  const double uniform = 1.0 / static_cast<double>(outside);
  const bool has_mass = prepare_outside(example, excluded);
  for (std::uint32_t draw = 0; draw < noises.size(); ++draw) {
    const double which = random.uniform(number, 2 * draw);
    if (!has_mass || which < kFloor) {
      noises[draw] = class_outside(random.below(outside, number, 2 * draw + 1), excluded);
      const double probability = has_mass ? probability_outside(example, noises[draw]) : 0.0;
      log_q[draw] = log_mixture(has_mass, probability, uniform);
    } else {
      const Draw drawn = draw_outside(example, random.uniform(number, 2 * draw + 1));
      noises[draw] = drawn.class_id;
      log_q[draw] = log_mixture(true, drawn.probability, uniform);
    }
  }
}

float ProposalWorker::log_q(std::uint32_t example, ClassId class_id,
                            std::span<const ClassId> excluded) {
  if (projected_.empty()) return uniform_.log_probability(class_id, excluded);
  const double uniform = 1.0 / static_cast<double>(scorer().classes() - excluded.size());
  const bool has_mass = prepare_outside(example, excluded);
  return log_mixture(has_mass, has_mass ? probability_outside(example, class_id) : 0.0, uniform);
}

}  // namespace cane
