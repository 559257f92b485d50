#include "search/proposal.h"

#include <algorithm>
#include <cmath>

#include "core/noise/uniform_noise.h"
#include "search/rerank.h"

namespace cane {
namespace {

// The share of the noises that is drawn uniformly.
constexpr double kFloor = 0.1;

float log_mixture(bool has_mass, double probability, double uniform) {
  if (!has_mass) return static_cast<float>(std::log(uniform));
  return static_cast<float>(std::log((1.0 - kFloor) * probability + kFloor * uniform));
}

}  // namespace

void Proposal::project(std::span<const RowView> rows, Workspace& workspace) const {
  const BlockShape shape = projection_->shape(0);
  workspace.inputs.resize(rows.size() * shape.stride);
  workspace.projected.clear();
  workspace.tasks.clear();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    float* input = workspace.inputs.data() + e * shape.stride;
    workspace.tasks.push_back({rows[e], 0.0F, input});
    workspace.projected.push_back({nullptr, input, rank_});
  }
  projection_weights_.score_block(*projection_, 0, workspace.tasks);
}

void Proposal::select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
                      std::uint32_t width, std::uint32_t keep, Selector::Workspace& workspace,
                      Selection& selection) const {
  auto& own = static_cast<Workspace&>(workspace);
  project(rows, own);
  own.proposed.clear();
  const std::uint64_t proposal_rows = propose(std::min(width, scorer().classes()), own);
  own.scores.resize(own.proposed.classes.size());
  selection.clear();
  selection.rows_scored = scorer().score(rows, own.proposed, own.scoring, own.scores.data()) +
                          proposal_rows * (rank_ + 1) / (projection_->dimension() + 1);
  rerank(own.proposed, own.scores, keep, selection);
}

void Proposal::sample(std::uint32_t example, std::span<const ClassId> excluded,
                      const CounterRandom& random, std::uint64_t number, std::span<ClassId> noises,
                      std::span<float> log_q, Selector::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  const std::uint64_t outside = scorer().classes() - excluded.size();
  const double uniform = 1.0 / static_cast<double>(outside);
  const bool has_mass = prepare_outside(example, excluded, own);
  for (std::uint32_t draw = 0; draw < noises.size(); ++draw) {
    const double which = random.uniform(number, 2 * draw);
    if (!has_mass || which < kFloor) {
      noises[draw] = class_outside(random.below(outside, number, 2 * draw + 1), excluded);
      const double probability = has_mass ? probability_outside(example, noises[draw], own) : 0.0;
      log_q[draw] = log_mixture(has_mass, probability, uniform);
    } else {
      const Draw drawn = draw_outside(example, random.uniform(number, 2 * draw + 1), own);
      noises[draw] = drawn.label;
      log_q[draw] = log_mixture(true, drawn.probability, uniform);
    }
  }
}

float Proposal::log_probability(std::uint32_t example, ClassId label,
                                std::span<const ClassId> excluded,
                                Selector::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  const double uniform = 1.0 / static_cast<double>(scorer().classes() - excluded.size());
  const bool has_mass = prepare_outside(example, excluded, own);
  return log_mixture(has_mass, has_mass ? probability_outside(example, label, own) : 0.0, uniform);
}

float Proposal::learn(std::uint32_t example, ClassId label, float scale,
                      Selector::Workspace& workspace, GradientParts& projection,
                      GradientParts& classes) const {
  return learn_classes(example, label, scale, static_cast<Workspace&>(workspace), classes,
                       projection.add_part(example, 0));
}

}  // namespace cane
