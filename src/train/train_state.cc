#include "train/train_state.h"

#include <algorithm>

namespace cane {

OptimizerKind optimizer_of(std::size_t table, const std::vector<ParameterTable>& tables,
                           const TrainConfig& config) {
  if (scales_features(config)) {
    return table + 1 < tables.size() ? OptimizerKind::kAdagrad : OptimizerKind::kSgd;
  }
  if (has_encoder(config)) return config.optimizer;
  return table == kClassTable ? config.optimizer : OptimizerKind::kSgd;
}

WeightTables copy_of(const WeightTables& tables) {
  WeightTables copy;
  for (const AlignedBuffer<float>& table : tables) {
    std::ranges::copy(table.span(), copy.emplace_back(table.size()).data());
  }
  return copy;
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

}  // namespace cane
