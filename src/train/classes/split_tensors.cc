#include "train/classes/split_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "train/checkpoint.h"
#include "train/classes/shard_stretches.h"

namespace cane {
namespace {

/// Calls visit(own, whole, count) for every stretch that this rank has of a tensor of classes.
template <typename Visit>
void for_each_own(const ShardTables& tables, const SplitTensor& tensor, const Visit& visit) {
  for (std::uint32_t i = 0; i < tensor.own.size(); ++i) {
    for_each_stretch(tables.shards, tables.own.begin + i, *tensor.layouts[i], tensor.floats,
                     [&](std::size_t own, std::size_t whole, std::size_t count) {
                       visit(tensor.own[i].subspan(own, count), whole);
                     });
  }
}

/// The tensor of a table of the whole model. `common(i)` and `own(shard, i)` give the values of the
/// i-th of the common tables or of those of an own shard; `floats(layout)`: of each of its blocks.
template <typename Common, typename Own, typename Floats>
SplitTensor split_table(const std::string& name, std::size_t table, const BlockLayout& layout,
                        const ShardTables& tables, const Common& common, const Own& own,
                        const Floats& floats) {
  SplitTensor tensor;
  tensor.name = name;
  const std::vector<std::size_t>& places = tables.common.whole;
  if (const auto found = std::ranges::find(places, table); found != places.end()) {
    tensor.common = common(static_cast<std::size_t>(found - places.begin()));
    tensor.size = tensor.common.size();
    return tensor;
  }
  tensor.floats = floats(layout);
  tensor.size = layout.node_bound() * tensor.floats;
  const std::vector<std::size_t>& of_shards = tables.of_shards.front().whole;
  const auto i = static_cast<std::size_t>(std::ranges::find(of_shards, table) - of_shards.begin());
  for (std::uint32_t shard = 0; shard < tables.own.count(); ++shard) {
    tensor.own.push_back(own(shard, i));
    tensor.layouts.push_back(&tables.of_shards[shard].tables[i].layout);
  }
  return tensor;
}

SplitTensor weights_of_table(const std::string& name, std::size_t table, const BlockLayout& layout,
                             const ShardTables& tables, WeightTables& common,
                             const std::function<WeightTables&(std::uint32_t)>& of_shard) {
  return split_table(
      name, table, layout, tables, [&](std::size_t i) { return common[i].span(); },
      [&](std::uint32_t shard, std::size_t i) { return of_shard(shard)[i].span(); },
      [](const BlockLayout& blocks) { return blocks.pitch(); });
}

}  // namespace

std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& whole,
                                       const ShardTables& tables, ShardedState& state) {
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < whole.size(); ++table) {
    tensors.push_back(weights_of_table(
        whole[table].name, table, whole[table].layout, tables, state.common.weights,
        [&](std::uint32_t shard) -> WeightTables& { return state.shards[shard].weights; }));
  }
  return tensors;
}

std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& whole,
                                       const ShardTables& tables, BestShards& best) {
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < whole.size(); ++table) {
    tensors.push_back(
        weights_of_table(whole[table].name, table, whole[table].layout, tables, best.common,
                         [&](std::uint32_t shard) -> WeightTables& { return best.shards[shard]; }));
  }
  return tensors;
}

std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        ShardedState& state, BestShards& best) {
  const std::vector<ParameterTable>& whole = model.tables;
  std::vector<SplitTensor> best_weights;
  if (!best.is_empty()) best_weights = split_weights(whole, tables, best);
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < whole.size(); ++table) {
    SplitTensor optimizer = split_table(
        optimizer_tensor(whole[table]), table, whole[table].layout, tables,
        [&](std::size_t i) { return state.common.optimizers[i]->state(); },
        [&](std::uint32_t shard, std::size_t i) {
          return state.shards[shard].optimizers[i]->state();
        },
        [](const BlockLayout& blocks) { return std::size_t{blocks.dimension()} + 1; });
    // Not whether there is any here: a rank may have no classes.
    const OptimizerKind kind = optimizer_of(table, whole, model.config);
    const bool has_state = optimizer_bytes(kind, whole[table].layout) > 0;
    if (has_state) tensors.push_back(std::move(optimizer));
    if (best.is_empty()) continue;
    best_weights[table].name = best_tensor(whole[table]);
    tensors.push_back(std::move(best_weights[table]));
  }
  return tensors;
}

std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split,
                                         const ShardTables& tables, const Communicator& ranks) {
  std::vector<SharedTensor> shared;
  for (const TensorToWrite& tensor : archive) {
    const auto found = std::ranges::find(split, tensor.name, &SplitTensor::name);
    if (found == split.end() || found->is_common()) {
      shared.push_back(std::move(share_evenly(std::span(&tensor, 1), ranks).front()));
      continue;
    }
    std::vector<TensorPiece> pieces;
    for_each_own(tables, *found, [&](std::span<const float> values, std::size_t whole) {
      pieces.push_back({whole * sizeof(float), std::as_bytes(values)});
    });
    std::ranges::sort(pieces, {}, &TensorPiece::offset);
    shared.push_back({{tensor.name, tensor.type, tensor.shape, tensor.alignment}, pieces});
  }
  return shared;
}

void read_split(const SafetensorsFile& file, const ShardTables& tables, const SplitTensor& tensor) {
  const auto values = file.values<float>(tensor.name);
  if (values.size() != tensor.size) {
    throw_damaged(file, fmt::format("{} does not fit the model: it has {} values instead of {}",
                                    tensor.name, values.size(), tensor.size));
  }
  if (tensor.is_common()) {
    std::ranges::copy(values, tensor.common.begin());
    return;
  }
  for_each_own(tables, tensor, [&](std::span<float> own, std::size_t whole) {
    std::ranges::copy(values.subspan(whole, own.size()), own.begin());
  });
}

}  // namespace cane
