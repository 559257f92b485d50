// Data that has been read and parsed to its end: its vocabulary is known, its rows are still
// blocks, which are assembled all in memory or a few at a time. Each block is processed
// independently, so the result does not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/blocks/block_store.h"
#include "data/blocks/ngram_dictionary.h"
#include "data/blocks/number_map.h"
#include "data/loaded_data.h"

namespace cane {

struct ParsedData {
  LoadedData data;  // without its rows
  BlockStore blocks;
  std::vector<ClassId> class_of;      // FileId -> class
  std::vector<FeatureId> feature_of;  // FileId -> feature
  NgramDictionary ngrams;             // of the vocabulary, if it has one
  std::uint64_t num_examples = 0;
  std::uint64_t num_assembled = 0;  // of these, so far
  std::uint64_t num_values = 0;     // upper bound on the stored values
  bool is_dense = false;            // rows are stored dense
  bool has_weights = false;
  bool marks_empty = false;      // rows without features are gaps
  bool is_training_data = true;  // labels and features were learned from it

  /// From the numbers of the file to the vocabulary; valid as long as this object stays as it is.
  NumberMap number_map() const;
  /// Assembles and consumes blocks [begin, end), and adds what was dropped to the report. The
  /// result has rows only.
  LoadedData assemble_blocks(std::size_t begin, std::size_t end, ThreadPool& pool);
};

/// Assembles all blocks in memory.
LoadedData assemble(ParsedData parsed, ThreadPool& pool);

}  // namespace cane
