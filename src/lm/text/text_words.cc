#include "lm/text/text_words.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/file/file_kind.h"
#include "core/file/text_source.h"

namespace cane::lm {
namespace {

bool is_space(char character) {
  return character == ' ' || character == '\t' || character == '\r' || character == '\v' ||
         character == '\f' || character == '\0';
}

/// Splits a stream of blocks into words; a word may continue in the next block.
class Splitter {
 public:
  Splitter(const std::string& path, const WordHandler& handler) : path_(path), handler_(handler) {}

  void feed(std::string_view text) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char character = text[i];
      if (character != '\n' && !is_space(character)) continue;
      end_word(text.substr(begin, i - begin));
      begin = i + 1;
      if (character == '\n') end_line();
    }
    rest_ += text.substr(begin);
    check_length(rest_.size());
  }

  void finish() {
    end_word({});
    end_line();
  }

 private:
  void check_length(std::size_t length) const {
    if (length <= kLongestWord) return;
    throw Error(
        fmt::format("{}:{}: a word of more than {} bytes; this is no text, or its words are "
                    "not separated by spaces",
                    source_name(path_), line_, kLongestWord));
  }

  void end_word(std::string_view tail) {
    if (rest_.empty()) {
      if (tail.empty()) return;
      check_length(tail.size());
      handler_.on_word(tail);
    } else {
      rest_ += tail;
      check_length(rest_.size());
      handler_.on_word(rest_);
      rest_.clear();
    }
    line_has_words_ = true;
  }

  void end_line() {
    ++line_;
    if (std::exchange(line_has_words_, false)) handler_.on_line_end();
  }

  const std::string& path_;
  const WordHandler& handler_;
  std::string rest_;
  std::uint64_t line_ = 1;
  bool line_has_words_ = false;
};

}  // namespace

void read_words(const std::string& path, const WordHandler& handler) {
  check_is_data(path);
  const std::unique_ptr<TextSource> source = open_text(path);
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> block(kBlock);
  Splitter splitter(path, handler);
  while (const std::size_t count = source->read(block)) splitter.feed({block.data(), count});
  if (const std::string damage = source->damage(); !damage.empty()) {
    throw Error(fmt::format("{}: {}; fetch it again", source_name(path), damage));
  }
  splitter.finish();
}

}  // namespace cane::lm
