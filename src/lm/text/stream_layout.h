// How a text is cut into parallel streams of continuous text. The text is what is to be predicted;
// the word before its first one is the end of a line. Stream b reads length() words from begin(b)
// on; the streams of a test text may end with places that hold no word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "lm/text/word_vocabulary.h"

namespace cane::lm {

class StreamLayout {
 public:
  /// Equal streams; fewer words than streams are left out at the end. For training.
  static StreamLayout whole_streams(std::size_t words, std::size_t streams);
  /// Every word is in exactly one stream. At most `streams` of them, fewer for a short text. For
  /// tests.
  static StreamLayout every_word(std::size_t words, std::size_t streams);

  std::size_t streams() const { return streams_; }
  std::size_t length() const { return length_; }
  std::size_t words() const { return words_; }

  /// Row-major [length, streams]. Where there is no word, the label is kNoLabel and the input
  /// `first`.
  static constexpr std::int32_t kNoLabel = -1;
  void fill(std::span<const WordId> text, WordId first, std::span<std::int32_t> inputs,
            std::span<std::int32_t> labels) const;

 private:
  std::size_t streams_ = 0;
  std::size_t length_ = 0;
  std::size_t words_ = 0;  // that have a place
};

}  // namespace cane::lm
