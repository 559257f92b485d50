#include "train/checkpoint/split_tensors.h"

#include <fmt/format.h>

#include <utility>

namespace cane {
namespace {

/// A tensor of a table of the model. `floats`: of each row of classes.
SplitTensor split_table(std::string name, std::size_t table, const ShardTables& tables,
                        std::size_t floats, std::span<float> values) {
  if (table != kClassTable) return {std::move(name), values.size(), values};
  return {std::move(name), tables.part.shards().classes() * floats, values, floats};
}

}  // namespace

std::vector<SplitTensor> split_weights(const ShardTables& tables, WeightTables& weights) {
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < weights.size(); ++table) {
    tensors.push_back(split_table(tables.tables[table].name, table, tables, tables.layout().pitch(),
                                  weights[table].span()));
  }
  return tensors;
}

std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        TrainState& state, BestWeights& best) {
  std::vector<SplitTensor> best_weights = split_weights(tables, best.weights);
  std::vector<SplitTensor> tensors;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& layout = model.tables[table].layout;
    // Not whether there is any here: a rank may have no classes.
    if (optimizer_bytes(optimizer_of(table, model.tables, model.config), layout) > 0) {
      tensors.push_back(split_table(optimizer_tensor(model.tables[table]), table, tables,
                                    std::size_t{layout.dimension()} + 1,
                                    state.optimizers[table]->state()));
    }
    if (best_weights.empty()) continue;
    best_weights[table].name = best_tensor(model.tables[table]);
    tensors.push_back(std::move(best_weights[table]));
  }
  return tensors;
}

std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split, const ClassPart& part,
                                         const Communicator& ranks) {
  std::vector<SharedTensor> shared;
  for (const TensorToWrite& tensor : archive) {
    const auto found = std::ranges::find(split, tensor.name, &SplitTensor::name);
    if (found == split.end() || found->is_common()) {
      shared.push_back(std::move(share_evenly(std::span(&tensor, 1), ranks).front()));
      continue;
    }
    std::vector<TensorPiece> pieces;
    found->for_each_stretch(part, [&](std::span<const float> values, std::size_t at) {
      pieces.push_back({at * sizeof(float), std::as_bytes(values)});
    });
    std::ranges::sort(pieces, {}, &TensorPiece::offset);
    shared.push_back({{tensor.name, tensor.type, tensor.shape, tensor.alignment}, pieces});
  }
  return shared;
}

void read_split(const SafetensorsFile& file, const ClassPart& part, const SplitTensor& tensor) {
  const auto values = file.values<float>(tensor.name);
  if (values.size() != tensor.size) {
    throw_damaged(file, fmt::format("{} does not fit the model: it has {} values instead of {}",
                                    tensor.name, values.size(), tensor.size));
  }
  if (tensor.is_common()) {
    std::ranges::copy(values, tensor.here.begin());
    return;
  }
  tensor.for_each_stretch(part, [&](std::span<float> own, std::size_t at) {
    std::ranges::copy(values.subspan(at, own.size()), own.begin());
  });
}

}  // namespace cane
