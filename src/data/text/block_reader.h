// Cuts a text into blocks that end at line ends, so that each can be parsed on its own. Memory is
// bounded: a line longer than the limit is dropped while it is read, and its block says so.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/file/text_source.h"

namespace cane {

struct BlockLimits {
  /// Large enough that a parsed block's arrays fill large pages (see buffer.h).
  std::size_t block_bytes = std::size_t{4} << 20;
  std::size_t line_bytes = std::size_t{8} << 20;
};

/// How long a reader waits for the end of a block.
enum class Filling {
  kWhole,  // until it has block_bytes: blocks do not depend on how the text comes
  kLines,  // until there is a line: for streams
};

struct TextBlock {
  std::string text;  // whole lines; the last one of the input may lack its line end
  /// A line longer than the limit stood after `text`; nothing of it was kept.
  bool long_line_follows = false;
};

class BlockReader {
 public:
  BlockReader(std::unique_ptr<TextSource> source, const BlockLimits& limits,
              Filling filling = Filling::kWhole);

  /// False at the end. A line that the damage of the source cut short does not come out.
  bool next(TextBlock& block) { return read(block, true); }
  /// The same without waiting for input: also false if there is no whole line yet.
  bool next_ready(TextBlock& block) { return read(block, false); }
  std::string damage() const { return source_->damage(); }

 private:
  bool read(TextBlock& block, bool may_wait);
  /// False if there is too little text to tell whether it begins with one.
  bool skip_byte_order_mark(std::string& text);
  /// Adds to the text; false if that would have to wait and may not.
  bool append(std::string& text, bool may_wait);

  std::unique_ptr<TextSource> source_;
  BlockLimits limits_;
  Filling filling_;
  std::string carry_;  // the beginning of a line whose end was not read yet
  bool at_start_ = true;
  bool is_dropping_ = false;  // the rest of a line that was too long
  bool ended_ = false;
};

}  // namespace cane
