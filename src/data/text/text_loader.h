// Reads any of the text formats: one task reads (and decompresses) the next blocks while the others
// parse the current ones; parsed blocks are joined in file order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/loaded_data.h"
#include "data/text/assemble.h"
#include "data/text/block_reader.h"
#include "data/text/block_store.h"
#include "data/text/record_sample.h"

namespace cane {

/// A text that has been read and parsed to its end: its names are known, and its blocks can be
/// assembled, all in memory or a few at a time.
struct ParsedText {
  Vocabulary vocabulary;
  ReadReport report;
  BlockStore blocks;
  std::vector<ClassId> class_of;      // the file's number of a label -> class
  std::vector<FeatureId> feature_of;  // the file's number of a word -> feature
  NgramDictionary ngrams;             // of the vocabulary, if it has one
  std::uint64_t num_examples = 0;
  std::uint64_t num_values = 0;  // upper bound on the stored values
  RowLayout layout;
  bool is_training_data = true;  // labels and features were learned from it

  /// From the numbers of the file to the vocabulary; valid as long as this object stays as it is.
  NumberMap number_map() const;
  /// Assembles and consumes blocks [begin, end), and adds what was dropped to the report.
  AssembledRows assemble_blocks(std::size_t begin, std::size_t end, ThreadPool& pool);
};

/// Reads and parses the whole text; blocks are stored as `store` says.
ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits = {});
/// The same for the part of the text that is this rank's. Names and what was learned are those of
/// the whole text. All ranks call it.
ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits,
                      Communicator& ranks);

/// The same for texts in memory, which have no labels: the vocabulary gets none. A text each
/// becomes an example, in order.
ParsedText parse_texts(std::span<const std::string_view> texts, const DataOptions& options,
                       const Vocabulary* known, ThreadPool& pool);

/// Makes features of a sample, learning its labels and features.
LoadedData load_sample(const RecordSample& sample, const DataOptions& options, ThreadPool& pool);

/// Assembles all blocks in memory.
LoadedData assemble(ParsedText text, ThreadPool& pool);

}  // namespace cane
