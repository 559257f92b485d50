// Splits a text into blocks that end at line ends, so that each can be parsed independently. Memory
// is bounded: a line longer than the limit is dropped while it is read, and its block is flagged.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/file/text_source.h"

namespace cane {

/// Some editors begin a text with it; it is no part of the first line.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct BlockLimits {
  /// Large enough that a parsed block's arrays fill large pages (see buffer.h).
  std::size_t block_bytes = std::size_t{4} << 20;
  std::size_t line_bytes = std::size_t{8} << 20;
};

/// When a reader considers a block complete.
enum class Filling {
  kWhole,  // at block_bytes: blocks do not depend on how the input is chunked
  kLines,  // as soon as there is a whole line: for streams
};

struct TextBlock {
  std::string text;  // whole lines; the last one of the input may lack its line end
  /// A line longer than the limit followed `text`; none of it was kept.
  bool long_line_follows = false;
};

class BlockReader {
 public:
  BlockReader(std::unique_ptr<TextSource> source, const BlockLimits& limits,
              Filling filling = Filling::kWhole);

  /// Returns false at the end. A line truncated by damage to the source is not returned.
  bool next(TextBlock& block) { return read(block, true); }
  /// The same without waiting for input: also returns false if there is no whole line yet.
  bool next_ready(TextBlock& block) { return read(block, false); }
  /// Takes back text that it returned last.
  void take_back(std::string text) { carry_ = std::move(text.append(carry_)); }
  /// From here on blocks end between records of fields with this separator, which may be quoted and
  /// hold line ends (see csv_record.h).
  void split_at_records(char separator) { separator_ = separator; }
  const BlockLimits& limits() const { return limits_; }
  std::string damage() const { return source_->damage(); }

 private:
  bool read(TextBlock& block, bool may_wait);
  /// Where the last whole line or record of the text ends; 0 if there is none. No line ends before
  /// `searched`.
  std::size_t whole_lines(std::string_view text, std::size_t searched) const;
  /// Returns false if there is too little text to tell whether it begins with one.
  bool skip_byte_order_mark(std::string& text);
  /// Appends to the text; returns false if that would have to wait and must not.
  bool append(std::string& text, bool may_wait);

  std::unique_ptr<TextSource> source_;
  BlockLimits limits_;
  Filling filling_;
  char separator_ = '\0';  // of records; '\0': lines
  std::string carry_;      // the beginning of a line whose end was not read yet
  bool at_start_ = true;
  bool is_dropping_ = false;  // skipping the rest of a line that was too long
  bool ended_ = false;
};

}  // namespace cane
