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

std::vector<std::span<float>> changing_arrays(TrainState& state) {
  std::vector<std::span<float>> arrays;
  for (AlignedBuffer<float>& weights : state.weights) arrays.push_back(weights.span());
  for (const auto& optimizer : state.optimizers) arrays.push_back(optimizer->state());
  return arrays;
}

}  // namespace cane
