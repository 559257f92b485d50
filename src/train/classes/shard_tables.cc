#include "train/classes/shard_tables.h"

namespace cane {

ShardTables::ShardTables(const std::vector<ParameterTable>& whole, const TrainConfig& config,
                         const ClassShards& all, OwnShards of_rank)
    : shards(all), own(of_rank) {
  const std::size_t proposal = proposal_table(config);
  for (std::size_t table = 0; table < whole.size(); ++table) {
    if (table == kClassTable || table == proposal) continue;
    common.tables.push_back(whole[table]);
    common.whole.push_back(table);
  }
  for (std::uint32_t shard = own.begin; shard < own.end; ++shard) {
    TablePart& part = of_shards.emplace_back();
    for (const std::size_t table : {kClassTable, proposal}) {
      const BlockLayout& layout = whole[table].layout;
      part.tables.push_back(
          {whole[table].name,
           BlockLayout::flat(shards.size(shard), layout.widest_stride(), layout.dimension()),
           whole[table].role});
      part.whole.push_back(table);
    }
  }
}

ShardedState make_sharded_state(const ShardTables& tables, const TrainConfig& config) {
  ShardedState state;
  // Outside the classes, only an encoder makes the optimiser of the options worth while.
  const OptimizerKind kind = has_encoder(config) ? config.optimizer : OptimizerKind::kSgd;
  for (const ParameterTable& table : tables.common.tables) {
    state.common.weights.emplace_back(table.layout.size());
    state.common.optimizers.push_back(make_optimizer(kind, table.layout));
    state.common.rate_scales.push_back(1.0F);
  }
  for (const TablePart& part : tables.of_shards) {
    state.shards.push_back(make_train_state(part.tables, config));
  }
  return state;
}

}  // namespace cane
