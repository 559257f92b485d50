#include "train/classes/shard_tables.h"

namespace cane {

ShardTables::ShardTables(const std::vector<ParameterTable>& model, const TrainConfig& config,
                         const ClassShards& all, OwnShards of_rank)
    : shards(all), own(of_rank) {
  const std::size_t of_proposal = proposal_table(config);
  for (std::uint32_t shard = own.begin; shard < own.end; ++shard) {
    for (const std::size_t table : {kClassTable, of_proposal}) {
      const BlockLayout& blocks = model[table].layout;
      tables.push_back(
          {model[table].name,
           BlockLayout::flat(shards.size(shard), blocks.widest_stride(), blocks.dimension()),
           model[table].role});
      whole.push_back(table);
    }
  }
  for (std::size_t table = 0; table < model.size(); ++table) {
    if (table == kClassTable || table == of_proposal) continue;
    tables.push_back(model[table]);
    whole.push_back(table);
  }
}

TrainState make_sharded_state(const ShardTables& tables, const TrainConfig& config) {
  TrainState state;
  for (std::size_t table = 0; table < tables.tables.size(); ++table) {
    state.add_table(tables.layout(table), optimizer_of(tables.whole[table], tables.tables, config));
  }
  return state;
}

}  // namespace cane
