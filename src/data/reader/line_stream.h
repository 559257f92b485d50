// Reads the lines of a stream through a known vocabulary, as they become available. Reading never
// waits for more than one whole line; lines that are available together are returned together, in
// blocks that can be processed in parallel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "data/blocks/parsed_block.h"
#include "data/text/block_parser.h"
#include "data/text/block_reader.h"
#include "data/text/reading_progress.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

class LineStream {
 public:
  /// The vocabulary must outlive the object.
  LineStream(const std::string& path, const DataOptions& options, const Vocabulary& known);

  /// Waits for a line; returns false at the end.
  bool wait();
  /// Returns the blocks read and not yet taken, in order. Valid until the next call.
  std::span<const TextBlock> take();
  /// Reads what is available without waiting, up to a few blocks per thread. May run while other
  /// threads process the blocks that were taken.
  void read_ready(int threads);
  /// Whether there are blocks to take without waiting.
  bool is_ready() const { return !next_.empty(); }

  /// The parser of the lines that were taken.
  const BlockParser& parser() const { return parser_; }
  /// Counts the lines of the next taken block. Throws Error at a bad line, unless bad lines are
  /// skipped.
  void count(const ParsedBlock& block) { progress_.add(block); }
  /// Call at the end. Throws Error if the stream was damaged or had no example.
  ReadReport finish();

 private:
  void choose_parser(std::vector<TextBlock> read);

  std::string path_;
  DataOptions options_;
  const Vocabulary& known_;
  ReadingProgress progress_;
  BlockReader reader_;
  BlockParser parser_;
  bool has_format_ = false;
  bool has_answered_ = false;  // blank lines before
  std::vector<TextBlock> taken_;
  std::vector<TextBlock> next_;
};

}  // namespace cane
