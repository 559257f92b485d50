#include "train/train_state.h"

namespace cane {

OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config) {
  if (scales_features(config)) {
    return table + 1 < tables.size() ? OptimizerKind::kAdagrad : OptimizerKind::kSgd;
  }
  if (has_encoder(config)) return config.optimizer;
  return table == kClassTable ? config.optimizer : OptimizerKind::kSgd;
}

TrainState make_train_state(const std::vector<ParameterTable>& tables, const TrainConfig& config) {
  TrainState state;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const BlockLayout& layout = tables[table].layout;
    state.weights.emplace_back(layout.size());
    state.optimizers.push_back(make_optimizer(optimizer_of(table, tables, config), layout));
    state.rate_scales.push_back(1.0F);
  }
  return state;
}

// A proposal changes the rows of all classes in every batch, most of them very little, and only has
// to find candidates. On 4 ranks, 1/8192 costs ALOI nothing and 5,000 synthetic classes 0.04
// points, and saves half of the bytes and 17 of 18; 1/1024 for all weights has cost 0.3 points.
std::vector<ChangingArray> changing_arrays(TrainState& state, const TrainConfig& config) {
  constexpr float kLeastChange = 1.0F / 8192;
  constexpr float kLeastChangeOfProposal = 1.0F / 1024;
  std::vector<ChangingArray> arrays;
  for (AlignedBuffer<float>& weights : state.weights)
    arrays.push_back({weights.span(), kLeastChange});
  if (uses_proposal(config)) arrays[proposal_table(config)].least_change = kLeastChangeOfProposal;
  for (const auto& optimizer : state.optimizers) arrays.push_back({optimizer->state()});
  return arrays;
}

}  // namespace cane
