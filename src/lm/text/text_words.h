// The words of a text, a sentence or paragraph a line, in plain, gzip or xz files. Words are what
// stands between spaces; lines without a word do not count.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/file/raw_file.h"
#include "core/file/text_source.h"

namespace cane::lm {

/// The format is recognised by its first bytes. Throws Error where this build cannot read it.
std::unique_ptr<TextSource> open_corpus_text(const std::string& path);
/// Throws Error if this build was made without the library for it.
std::unique_ptr<TextSource> open_xz(RawFile file, const std::string& path);

struct WordHandler {
  std::function<void(std::string_view word)> on_word;
  std::function<void()> on_line_end;
};

/// Throws Error on a file that cannot be read, is damaged or cut off, or has a word longer than
/// kLongestWord bytes, which no text has.
void read_words(const std::string& path, const WordHandler& handler);

inline constexpr std::size_t kLongestWord = std::size_t{1} << 16;

}  // namespace cane::lm
