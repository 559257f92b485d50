// Reads any of the text formats: one task reads (and decompresses) the next blocks while the others
// parse the current ones; parsed blocks are joined in the file's order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"
#include "data/text/assemble.h"
#include "data/text/block_reader.h"
#include "data/text/block_store.h"

namespace cane {

/// Counts what was read of a text and, where a line is bad, stops or notes that it was skipped.
class ReadingProgress {
 public:
  /// `name` is what messages call the text.
  ReadingProgress(std::string name, OnError on_error)
      : name_(std::move(name)), on_error_(on_error) {}

  /// The next block of the text. Throws Error at a bad line, unless they are skipped.
  void add(const ParsedBlock& block);
  /// After the last block: throws Error, or notes it, if the text was damaged or is not what its
  /// header announces; throws Error if there is no example at all.
  void check_end(const std::string& damage, const TextHeader& header);

  const std::string& name() const { return name_; }
  std::uint64_t num_examples() const { return num_examples_; }
  ReadReport& report() { return report_; }

 private:
  /// `line` counts from 0.
  void reject(std::uint64_t line, const std::string& message, std::uint64_t bad_lines = 1);

  std::string name_;
  OnError on_error_;
  ReadReport report_;
  std::uint64_t num_lines_ = 0;
  std::uint64_t num_records_ = 0;
  std::uint64_t num_examples_ = 0;
};

/// A text that has been read and parsed to its end: its names are known, its blocks wait to be put
/// together, all in memory or a few at a time.
struct ParsedText {
  Vocabulary vocabulary;
  ReadReport report;
  BlockStore blocks;
  std::vector<ClassId> class_of;      // the file's number of a label -> class
  std::vector<FeatureId> feature_of;  // the file's number of a word -> feature
  std::uint64_t num_examples = 0;
  std::uint64_t num_values = 0;  // at most so many are stored
  RowLayout layout;
  bool is_training_data = true;  // labels and features were learned from it

  /// Puts blocks [begin, end) together, taking them, and counts what was left out in the report.
  AssembledRows assemble_blocks(std::size_t begin, std::size_t end, ThreadPool& pool);
};

/// Reads and parses all of it; blocks go where `store` says.
ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits = {});

/// All blocks, in memory.
LoadedData assemble(ParsedText text, ThreadPool& pool);

}  // namespace cane
