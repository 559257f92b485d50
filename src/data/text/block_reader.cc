#include "data/text/block_reader.h"

#include <span>
#include <string_view>
#include <utility>

namespace cane {

BlockReader::BlockReader(std::unique_ptr<TextSource> source, const BlockLimits& limits)
    : source_(std::move(source)), limits_(limits) {}

bool BlockReader::next(TextBlock& block) {
  block.text = std::exchange(carry_, {});
  block.long_line_follows = false;
  if (std::exchange(at_start_, false)) {
    skip_byte_order_mark();
    block.text = std::exchange(carry_, {});
  }
  std::size_t searched = 0;
  while (true) {
    const std::size_t line_end = std::string_view(block.text).substr(searched).rfind('\n');
    if (line_end != std::string_view::npos) {
      carry_.assign(block.text, searched + line_end + 1);
      block.text.resize(searched + line_end + 1);
      return true;
    }
    if (block.text.size() > limits_.line_bytes) {
      block.text.clear();
      block.long_line_follows = true;
      drop_rest_of_line();
      return true;
    }
    if (ended_) {
      if (!source_->damage().empty()) block.text.clear();
      return !block.text.empty();
    }
    searched = block.text.size();
    block.text.resize(searched + limits_.block_bytes);
    const std::size_t count = source_->read(std::span(block.text).subspan(searched));
    block.text.resize(searched + count);
    ended_ = count < limits_.block_bytes;
  }
}

void BlockReader::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  carry_.resize(kMark.size());
  const std::size_t count = source_->read(carry_);
  carry_.resize(count);
  ended_ = count < kMark.size();
  if (carry_ == kMark) carry_.clear();
}

void BlockReader::drop_rest_of_line() {
  while (!ended_) {
    carry_.resize(limits_.block_bytes);
    const std::size_t count = source_->read(carry_);
    carry_.resize(count);
    ended_ = count < limits_.block_bytes;
    const std::size_t line_end = carry_.find('\n');
    if (line_end != std::string::npos) {
      carry_.erase(0, line_end + 1);
      return;
    }
  }
  carry_.clear();
}

}  // namespace cane
