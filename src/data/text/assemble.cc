#include "data/text/assemble.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/base/buffer.h"
#include "data/text/finish_block.h"

namespace cane {
namespace {

struct Storage {
  Buffer<std::uint64_t> offsets;
  Buffer<FeatureId> indices;
  Buffer<float> values;
  Buffer<ClassId> classes;
  Buffer<float> weights;
};

struct Start {
  std::uint64_t example = 0;
  std::uint64_t feature = 0;
};

void copy_block(const ParsedBlock& block, const Start& start, const Columns& shape,
                Storage& storage) {
  std::copy(block.label_of.begin(), block.label_of.end(), storage.classes.data() + start.example);
  if (storage.weights.size() > 0) {
    float* const weights = storage.weights.data() + start.example;
    const auto given = std::copy(block.weights.begin(), block.weights.end(), weights);
    std::fill(given, weights + block.label_of.size(), 1.0F);
  }
  if (!shape.dense) {
    std::copy(block.features.begin(), block.features.end(), storage.indices.data() + start.feature);
    std::copy(block.values.begin(), block.values.end(), storage.values.data() + start.feature);
    for (std::size_t i = 0; i < block.ends.size(); ++i) {
      storage.offsets.data()[start.example + i + 1] = start.feature + block.ends[i];
    }
    return;
  }
  float* row = storage.values.data() + start.example * shape.dimension;
  std::fill(row, row + block.ends.size() * shape.dimension, 0.0F);
  std::uint64_t feature = 0;
  for (const std::uint64_t end : block.ends) {
    for (; feature < end; ++feature) row[block.features[feature]] = block.values[feature];
    row += shape.dimension;
  }
}

}  // namespace

Assembled assemble(std::vector<NumberedBlock> blocks, const AssemblyPlan& plan, ThreadPool& pool) {
  std::vector<FinishedCounts> counts(blocks.size());
  pool.run(blocks.size(),
           [&](std::size_t task, int) { counts[task] = finish_block(blocks[task], plan); });

  Assembled result;
  std::vector<Start> starts;
  Start total;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    result.unseen_labels += counts[i].unseen_labels;
    result.dropped_features += counts[i].dropped_features;
    starts.push_back(total);
    total.example += blocks[i].columns.label_of.size();
    total.feature += blocks[i].columns.features.size();
  }

  Columns& columns = result.columns;
  columns.dimension = plan.dimension;
  columns.dense = plan.dense;
  const std::uint64_t cells = total.example * plan.dimension;
  const auto storage = std::make_shared<Storage>(
      Storage{Buffer<std::uint64_t>(columns.dense ? 0 : total.example + 1),
              Buffer<FeatureId>(columns.dense ? 0 : total.feature),
              Buffer<float>(columns.dense ? cells : total.feature), Buffer<ClassId>(total.example),
              Buffer<float>(plan.weighted ? total.example : 0)});
  if (!columns.dense) storage->offsets.data()[0] = 0;
  pool.run(blocks.size(), [&](std::size_t task, int) {
    copy_block(blocks[task].columns, starts[task], columns, *storage);
    blocks[task] = NumberedBlock{};
  });
  columns.offsets = storage->offsets.span();
  columns.indices = storage->indices.span();
  columns.values = storage->values.span();
  columns.classes = storage->classes.span();
  columns.weights = storage->weights.span();
  result.storage = storage;
  return result;
}

}  // namespace cane
