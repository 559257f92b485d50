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

struct TextBlock {
  std::string text;  // whole lines; the last one of the input may lack its line end
  /// A line longer than the limit stood after `text`; nothing of it was kept.
  bool long_line_follows = false;
};

class BlockReader {
 public:
  BlockReader(std::unique_ptr<TextSource> source, const BlockLimits& limits);

  /// False at the end. A line that the damage of the source cut short does not come out.
  bool next(TextBlock& block);
  std::string damage() const { return source_->damage(); }

 private:
  void skip_byte_order_mark();
  void drop_rest_of_line();

  std::unique_ptr<TextSource> source_;
  BlockLimits limits_;
  std::string carry_;  // the beginning of a line whose end was not read yet
  bool at_start_ = true;
  bool ended_ = false;
};

}  // namespace cane
