#include "data/text/assemble.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/buffer.h"

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

/// `row_values` is the length of a dense row, 0 if rows are sparse.
void copy_block(const ParsedBlock& block, const Start& start, FeatureId row_values,
                Storage& storage) {
  std::copy(block.labels.begin(), block.labels.end(), storage.classes.data() + start.example);
  if (storage.weights.size() > 0) {
    float* const weights = storage.weights.data() + start.example;
    const auto given = std::copy(block.weights.begin(), block.weights.end(), weights);
    std::fill(given, weights + block.labels.size(), 1.0F);
  }
  if (row_values == 0) {
    std::copy(block.features.begin(), block.features.end(), storage.indices.data() + start.feature);
    std::copy(block.values.begin(), block.values.end(), storage.values.data() + start.feature);
    for (std::size_t i = 0; i < block.ends.size(); ++i) {
      storage.offsets.data()[start.example + i + 1] = start.feature + block.ends[i];
    }
    return;
  }
  float* row = storage.values.data() + start.example * row_values;
  std::fill(row, row + block.ends.size() * row_values, 0.0F);
  std::uint64_t feature = 0;
  for (const std::uint64_t end : block.ends) {
    for (; feature < end; ++feature) row[block.features[feature]] = block.values[feature];
    row += row_values;
  }
}

DatasetView view_of(const Storage& storage, FeatureId dimension, bool is_dense) {
  const auto classes = storage.classes.span();
  const auto weights = storage.weights.span();
  if (!is_dense) {
    return {DatasetView::Sparse{.offsets = storage.offsets.span(),
                                .indices = storage.indices.span().data(),
                                .values = storage.values.span().data()},
            dimension, classes, weights};
  }
  DatasetView::Dense matrix;
  matrix.matrix = std::as_bytes(storage.values.span()).data();
  return {matrix, dimension, classes, weights};
}

}  // namespace

AssembledRows assemble(std::vector<ParsedBlock> blocks, const NumberMap& map,
                       const RowLayout& layout, ThreadPool& pool) {
  std::vector<FinishedCounts> counts(blocks.size());
  pool.run(blocks.size(),
           [&](std::size_t task, int) { counts[task] = finish_block(blocks[task], map); });

  AssembledRows result;
  std::vector<Start> starts;
  Start total;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    result.counts.unseen_labels += counts[i].unseen_labels;
    result.counts.dropped_features += counts[i].dropped_features;
    starts.push_back(total);
    total.example += blocks[i].labels.size();
    total.feature += blocks[i].features.size();
  }

  const std::uint64_t cells = total.example * map.dimension;
  const bool is_dense = layout.is_dense;
  const auto storage = std::make_shared<Storage>(
      Storage{.offsets = Buffer<std::uint64_t>(is_dense ? 0 : total.example + 1),
              .indices = Buffer<FeatureId>(is_dense ? 0 : total.feature),
              .values = Buffer<float>(is_dense ? cells : total.feature),
              .classes = Buffer<ClassId>(total.example),
              .weights = Buffer<float>(layout.has_weights ? total.example : 0)});
  if (!is_dense) storage->offsets.data()[0] = 0;
  pool.run(blocks.size(), [&](std::size_t task, int) {
    copy_block(blocks[task], starts[task], is_dense ? map.dimension : 0, *storage);
    blocks[task] = ParsedBlock{};
  });
  result.view = view_of(*storage, map.dimension, is_dense);
  result.storage = storage;
  return result;
}

}  // namespace cane
