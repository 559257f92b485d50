#include "data/text/block_reader.h"

#include <span>
#include <utility>

#include "data/text/csv_record.h"

namespace cane {

BlockReader::BlockReader(std::unique_ptr<TextSource> source, const BlockLimits& limits,
                         Filling filling)
    : source_(std::move(source)), limits_(limits), filling_(filling) {}

bool BlockReader::append(std::string& text, bool may_wait) {
  if (!may_wait && !source_->is_ready()) return false;
  const std::size_t size = text.size();
  text.resize(size + limits_.block_bytes);
  const auto room = std::span(text).subspan(size);
  const std::size_t count =
      filling_ == Filling::kWhole ? source_->read(room) : source_->read_some(room);
  text.resize(size + count);
  ended_ = filling_ == Filling::kWhole ? count < room.size() : count == 0;
  return true;
}

bool BlockReader::skip_byte_order_mark(std::string& text) {
  if (!ended_ && text.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(text))
    return false;
  at_start_ = false;
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return true;
}

std::size_t BlockReader::whole_lines(std::string_view text, std::size_t searched) const {
  if (separator_ != '\0') return whole_records(text, separator_);
  const std::size_t line_end = text.substr(searched).rfind('\n');
  return line_end == std::string_view::npos ? 0 : searched + line_end + 1;
}

bool BlockReader::read(TextBlock& block, bool may_wait) {
  block.text = std::exchange(carry_, {});
  block.long_line_follows = false;
  std::size_t searched = 0;
  while (true) {
    if (is_dropping_) {
      const std::size_t line_end = block.text.find('\n');
      is_dropping_ = line_end == std::string::npos;
      block.text.erase(0, is_dropping_ ? block.text.size() : line_end + 1);
    }
    const bool has_start = !at_start_ || skip_byte_order_mark(block.text);
    if (has_start && !is_dropping_) {
      const std::size_t whole = whole_lines(block.text, searched);
      if (whole > 0) {
        carry_.assign(block.text, whole);
        block.text.resize(whole);
        return true;
      }
      const std::size_t lines = block.text.rfind('\n') + 1;
      if (block.text.size() > limits_.line_bytes && lines > 0) {
        // A quote that is not closed: the parser says so, or goes on behind its line.
        carry_.assign(block.text, lines);
        block.text.resize(lines);
        return true;
      }
      if (block.text.size() > limits_.line_bytes) {
        block.text.clear();
        block.long_line_follows = true;
        is_dropping_ = true;
        return true;
      }
      searched = block.text.size();
    }
    if (ended_) {
      if (!source_->damage().empty()) block.text.clear();
      return !block.text.empty();
    }
    if (!append(block.text, may_wait)) {
      carry_ = std::move(block.text);
      return false;
    }
  }
}

}  // namespace cane
