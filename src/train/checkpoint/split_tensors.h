// The tensors of a training whose classes are shared out, as a rank has them: common ones as a
// whole, of those of classes the rows of its shards. Both what is written and what is read goes by
// this list, whose names and order are those of one process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file/archive.h"
#include "core/parallel/communicator.h"
#include "model/model_data.h"
#include "model/shared_file.h"
#include "train/classes/shard_tables.h"
#include "train/train_state.h"

namespace cane {

struct SplitTensor {
  bool is_common() const { return floats == 0; }
  /// Calls visit(values, at) for each stretch of values that this rank has of a tensor of classes:
  /// one for each block of classes, which begins at `at` in the whole tensor.
  template <typename Visit>
  void for_each_stretch(const ClassPart& part, const Visit& visit) const;

  std::string name;
  std::size_t size = 0;    // of the whole tensor, in floats
  std::span<float> here;   // all of it, or the rows of the own classes
  std::size_t floats = 0;  // of a row: its pitch for weights, fewer for what an optimiser knows;
                           // 0: every rank has all of it
};

/// The weights of the model. The result points into the last argument.
std::vector<SplitTensor> split_weights(const ShardTables& tables, WeightTables& weights);
/// What a checkpoint has besides: optimisers, and the best weights if there are any.
std::vector<SplitTensor> split_progress(const ModelData& model, const ShardTables& tables,
                                        TrainState& state, BestWeights& best);

/// The names of the tensors of a checkpoint that belong to a table.
inline std::string optimizer_tensor(const ParameterTable& table) {
  return "optimizer." + table.name;
}
inline std::string best_tensor(const ParameterTable& table) {
  return "best." + table.name;
}

/// The tensors of an archive as all ranks write them together: of those in the list each rank
/// writes what it owns, of the others an even share.
std::vector<SharedTensor> shared_tensors(std::span<const TensorToWrite> archive,
                                         std::span<const SplitTensor> split, const ClassPart& part,
                                         const Communicator& ranks);

/// Copies what this rank has of a tensor from the file. Throws Error if the file has none of that
/// size.
void read_split(const SafetensorsFile& file, const ClassPart& part, const SplitTensor& tensor);

template <typename Visit>
void SplitTensor::for_each_stretch(const ClassPart& part, const Visit& visit) const {
  for (std::uint32_t i = 0; i < part.own().count(); ++i) {
    const std::uint32_t rows = part.first_row(i + 1) - part.first_row(i);
    for (std::uint32_t first = 0; first < rows; first += ClassShards::kBlock) {
      const std::size_t count = std::min(ClassShards::kBlock, rows - first);
      visit(here.subspan((part.first_row(i) + first) * floats, count * floats),
            part.shards().global(part.own().begin + i, first) * floats);
    }
  }
}

}  // namespace cane
