// Reads the words of a text, one sentence or paragraph per line, plain or compressed (see
// core/file/text_source.h). Words are separated by spaces; lines without a word do not count.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cane::lm {

struct WordHandler {
  std::function<void(std::string_view word)> on_word;
  std::function<void()> on_line_end;
};

/// Throws Error on a file that cannot be read, is damaged or cut off, or has a word longer than
/// kLongestWord bytes, which no text has.
void read_words(const std::string& path, const WordHandler& handler);

inline constexpr std::size_t kLongestWord = std::size_t{1} << 16;

}  // namespace cane::lm
