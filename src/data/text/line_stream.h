// The lines of a stream that are to be read through a known vocabulary, as they come. Reading never
// waits for more than one whole line; what has come meanwhile comes out together, in blocks that
// can be worked on in parallel.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "data/text/block_reader.h"
#include "data/text/parsed_block.h"
#include "data/text/text_loader.h"
#include "data/text/vocabulary.h"

namespace cane {

class LineStream {
 public:
  /// The vocabulary must outlive it.
  LineStream(const std::string& path, const DataOptions& options, const Vocabulary& known);

  /// Waits for a line; false at the end.
  bool wait();
  /// What was read and not taken yet, in order. Valid until the next call of it.
  std::span<const TextBlock> take();
  /// Reads what can be read without waiting, up to what so many threads have to do for a while. May
  /// run while others work on the blocks that were taken.
  void read_ready(int threads);
  /// Whether there are blocks to take without waiting.
  bool is_ready() const { return !next_.empty(); }

  /// How lines are parsed; known after the first wait().
  const BlockParser& parser() const { return parser_; }
  /// Counts the lines of the next block that was taken. Throws Error at a bad line, unless they are
  /// skipped.
  void count(const ParsedBlock& block) { progress_.add(block); }
  /// After the end. Throws Error if the stream was damaged, or there was no example.
  ReadReport finish();

 private:
  void choose_parser();

  DataOptions options_;
  const Vocabulary& known_;
  ReadingProgress progress_;
  BlockReader reader_;
  BlockParser parser_;
  std::vector<TextBlock> taken_;
  std::vector<TextBlock> next_;
};

}  // namespace cane
