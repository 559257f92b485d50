#include "train/checkpoint/split_tensors.h"

#include <fmt/format.h>

#include <utility>

namespace cane {
namespace {

/// A tensor of a table of the model. `values(i)`: of the i-th table of this rank; `floats`: of each
/// block of a table of classes.
template <typename Values>
SplitTensor split_table(std::string name, std::size_t of_model, const BlockLayout& layout,
                        const ShardTables& tables, std::size_t floats, const Values& values) {
  SplitTensor tensor;
  tensor.name = std::move(name);
  for (std::size_t table = 0; table < tables.tables.size(); ++table) {
    if (tables.whole[table] != of_model) continue;
    if (tables.is_common(table)) {
      tensor.common = values(table);
      tensor.size = tensor.common.size();
      return tensor;
    }
    const auto shard = tables.own.begin + static_cast<std::uint32_t>(table / 2);
    tensor.parts.push_back({shard, values(table), &tables.layout(table)});
  }
  tensor.floats = floats;
  tensor.size = layout.node_bound() * floats;
  return tensor;
}

}  // namespace

std::vector<SplitTensor> split_weights(const std::vector<ParameterTable>& model,
                                       const ShardTables& tables, WeightTables& weights) {
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < model.size(); ++table) {
    const BlockLayout& layout = model[table].layout;
    tensors.push_back(split_table(model[table].name, table, layout, tables, layout.pitch(),
                                  [&](std::size_t own) { return weights[own].span(); }));
  }
  return tensors;
}

std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        TrainState& state, BestWeights& best) {
  std::vector<SplitTensor> best_weights;
  if (!best.weights.empty()) best_weights = split_weights(model.tables, tables, best.weights);
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& layout = model.tables[table].layout;
    // Not whether there is any here: a rank may have no classes.
    if (optimizer_bytes(optimizer_of(table, model.tables, model.config), layout) > 0) {
      tensors.push_back(split_table(optimizer_tensor(model.tables[table]), table, layout, tables,
                                    std::size_t{layout.dimension()} + 1, [&](std::size_t own) {
                                      return state.optimizers[own]->state();
                                    }));
    }
    if (best_weights.empty()) continue;
    best_weights[table].name = best_tensor(model.tables[table]);
    tensors.push_back(std::move(best_weights[table]));
  }
  return tensors;
}

std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split,
                                         const ClassShards& shards, const Communicator& ranks) {
  std::vector<SharedTensor> shared;
  for (const TensorToWrite& tensor : archive) {
    const auto found = std::ranges::find(split, tensor.name, &SplitTensor::name);
    if (found == split.end() || found->is_common()) {
      shared.push_back(std::move(share_evenly(std::span(&tensor, 1), ranks).front()));
      continue;
    }
    std::vector<TensorPiece> pieces;
    found->for_each_stretch(shards, [&](std::span<const float> values, std::size_t at) {
      pieces.push_back({at * sizeof(float), std::as_bytes(values)});
    });
    std::ranges::sort(pieces, {}, &TensorPiece::offset);
    shared.push_back({{tensor.name, tensor.type, tensor.shape, tensor.alignment}, pieces});
  }
  return shared;
}

void read_split(const SafetensorsFile& file, const ClassShards& shards, const SplitTensor& tensor) {
  const auto values = file.values<float>(tensor.name);
  if (values.size() != tensor.size) {
    throw_damaged(file, fmt::format("{} does not fit the model: it has {} values instead of {}",
                                    tensor.name, values.size(), tensor.size));
  }
  if (tensor.is_common()) std::ranges::copy(values, tensor.common.begin());
  tensor.for_each_stretch(shards, [&](std::span<float> own, std::size_t at) {
    std::ranges::copy(values.subspan(at, own.size()), own.begin());
  });
}

}  // namespace cane
