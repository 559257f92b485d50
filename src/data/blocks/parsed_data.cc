#include "data/blocks/parsed_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "core/base/buffer.h"

namespace cane {
namespace {

struct RowArrays {
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
                RowArrays& storage) {
  std::copy(block.classes.begin(), block.classes.end(), storage.classes.data() + start.example);
  if (storage.weights.size() > 0) {
    float* const weights = storage.weights.data() + start.example;
    const auto given = std::copy(block.weights.begin(), block.weights.end(), weights);
    std::fill(given, weights + block.size(), 1.0F);
  }
  if (row_values == 0) {
    std::copy(block.features.begin(), block.features.end(), storage.indices.data() + start.feature);
    std::copy(block.values.begin(), block.values.end(), storage.values.data() + start.feature);
    for (std::size_t i = 0; i < block.size(); ++i) {
      storage.offsets.data()[start.example + i + 1] = start.feature + block.ends[i];
    }
    return;
  }
  float* row = storage.values.data() + start.example * row_values;
  std::fill(row, row + block.size() * row_values, 0.0F);
  std::uint64_t feature = 0;
  for (const std::uint64_t end : block.ends) {
    for (; feature < end; ++feature) row[block.features[feature]] = block.values[feature];
    row += row_values;
  }
}

DatasetView view_of(const RowArrays& storage, FeatureId dimension, bool is_dense) {
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

NumberMap ParsedData::number_map() const {
  const Vocabulary& vocabulary = data.vocabulary;
  return {.feature_kind = vocabulary.feature_kind,
          .dimension = vocabulary.dimension,
          .first_ngram = static_cast<FeatureId>(vocabulary.words.size()),
          .ngrams = has_ngram_dictionary(vocabulary) ? &ngrams : nullptr,
          .weights = RowWeights(vocabulary),
          .marks_empty = marks_empty,
          .class_of = class_of,
          .feature_of = feature_of};
}

LoadedData ParsedData::assemble_blocks(std::size_t begin, std::size_t end, ThreadPool& pool) {
  const NumberMap map = number_map();
  std::vector<ParsedBlock> taken(end - begin);
  std::vector<FinishedCounts> counts(taken.size());
  pool.run(taken.size(), [&](std::size_t task, int) {
    taken[task] = blocks.take(begin + task);
    counts[task] = finish_block(taken[task], map);
  });
  std::vector<Start> starts;
  Start total;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    data.report.unseen_labels += counts[i].unseen_labels;
    // What training leaves out, it leaves out on purpose.
    if (!is_training_data) data.report.ignored_features += counts[i].dropped_features;
    for (const RowGap& gap : taken[i].gaps) {
      data.gaps.push_back({num_assembled + total.example + gap.example, gap.kind});
    }
    std::ranges::move(taken[i].kept, std::back_inserter(data.kept));
    starts.push_back(total);
    total.example += taken[i].size();
    total.feature += taken[i].features.size();
  }
  num_assembled += total.example;
  const std::uint64_t cells = total.example * map.dimension;
  const auto storage = std::make_shared<RowArrays>(
      RowArrays{.offsets = Buffer<std::uint64_t>(is_dense ? 0 : total.example + 1),
                .indices = Buffer<FeatureId>(is_dense ? 0 : total.feature),
                .values = Buffer<float>(is_dense ? cells : total.feature),
                .classes = Buffer<ClassId>(total.example),
                .weights = Buffer<float>(has_weights ? total.example : 0)});
  if (!is_dense) storage->offsets.data()[0] = 0;
  pool.run(taken.size(), [&](std::size_t task, int) {
    copy_block(taken[task], starts[task], is_dense ? map.dimension : 0, *storage);
    taken[task] = ParsedBlock{};
  });
  LoadedData rows;
  rows.view = view_of(*storage, map.dimension, is_dense);
  rows.storage = storage;
  return rows;
}

LoadedData assemble(ParsedData parsed, ThreadPool& pool) {
  LoadedData rows = parsed.assemble_blocks(0, parsed.blocks.size(), pool);
  LoadedData data = std::move(parsed.data);
  data.view = rows.view;
  data.storage = std::move(rows.storage);
  return data;
}

}  // namespace cane
