// The weights of a training whose classes are shared out: tables of the classes for each shard of
// this rank, and copies of the tables that every rank has alike, which are the projection of the
// proposal and the layers of an encoder.
#pragma once

#include <cstdint>
#include <vector>

#include "cane/config.h"
#include "linear/weights/parameter_table.h"
#include "train/classes/class_shards.h"
#include "train/train_state.h"

namespace cane {

/// Where things are among the tables of a shard.
inline constexpr std::size_t kShardClasses = kClassTable;
inline constexpr std::size_t kShardProposal = 1;
/// The projection among the common tables; the layers of the encoder follow.
inline constexpr std::size_t kCommonProjection = 0;

/// The tables of a shard, or the common ones, and the index of each in the whole model.
struct TablePart {
  std::vector<ParameterTable> tables;
  std::vector<std::size_t> whole;
};

struct ShardTables {
  /// `whole` has the tables of the whole model, of a proposal of low rank over `flat_width`.
  ShardTables(const std::vector<ParameterTable>& whole, const TrainConfig& config,
              const ClassShards& shards, OwnShards own);

  ClassShards shards;
  OwnShards own;
  TablePart common;
  std::vector<TablePart> of_shards;  // of this rank
};

/// What training changes. The position in the data, the sums of the epoch and the loop are those of
/// `common`.
struct ShardedState {
  TrainState common;
  std::vector<TrainState> shards;  // of this rank
};

/// All weights zero.
ShardedState make_sharded_state(const ShardTables& tables, const TrainConfig& config);

}  // namespace cane
