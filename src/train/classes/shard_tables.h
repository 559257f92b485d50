// The tables of a rank in a training whose classes are shared out: for each of its shards those of
// the classes and of the proposal, and then those that every rank has alike, which are the
// projection of the proposal and the layers of an encoder.
#pragma once

#include <cstdint>
#include <vector>

#include "cane/config.h"
#include "linear/weights/parameter_table.h"
#include "train/classes/class_shards.h"
#include "train/train_state.h"

namespace cane {

struct ShardTables {
  /// `model` has the tables of the whole model, of a proposal of low rank over `flat_width`.
  ShardTables(const std::vector<ParameterTable>& model, const TrainConfig& config,
              const ClassShards& shards, OwnShards own);

  /// The tables of the i-th shard of this rank.
  static std::size_t classes(std::uint32_t i) { return 2 * std::size_t{i}; }
  static std::size_t proposal(std::uint32_t i) { return classes(i) + 1; }
  /// The first of the common tables; the layers of the encoder follow.
  std::size_t projection() const { return classes(own.count()); }
  bool is_common(std::size_t table) const { return table >= projection(); }
  const BlockLayout& layout(std::size_t table) const { return tables[table].layout; }

  ClassShards shards;
  OwnShards own;
  std::vector<ParameterTable> tables;
  std::vector<std::size_t> whole;  // of each: the table of the model that it is, or a part of
};

/// All weights zero.
TrainState make_sharded_state(const ShardTables& tables, const TrainConfig& config);

}  // namespace cane
