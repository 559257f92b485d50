#include "search/proposal.h"

#include <algorithm>

namespace cane {

void ProposalWorker::select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
                            std::uint32_t width, std::uint32_t keep, Selection& selection) {
  projected_ = inputs_.project(projection_, rows);
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
    if (!has_mass || which < kNoiseFloor) {
      noises[draw] = class_outside(random.below(outside, number, 2 * draw + 1), excluded);
      const double probability = has_mass ? probability_outside(example, noises[draw]) : 0.0;
      log_q[draw] = log_floored(has_mass, probability, uniform);
    } else {
      const Draw drawn = draw_outside(example, random.uniform(number, 2 * draw + 1));
      noises[draw] = drawn.class_id;
      log_q[draw] = log_floored(true, drawn.probability, uniform);
    }
  }
}

float ProposalWorker::log_q(std::uint32_t example, ClassId class_id,
                            std::span<const ClassId> excluded) {
  if (projected_.empty()) return uniform_.log_probability(class_id, excluded);
  const double uniform = 1.0 / static_cast<double>(scorer().classes() - excluded.size());
  const bool has_mass = prepare_outside(example, excluded);
  return log_floored(has_mass, has_mass ? probability_outside(example, class_id) : 0.0, uniform);
}

}  // namespace cane
