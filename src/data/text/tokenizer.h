// Cuts text into words. Kind kSpaces: what lies between blanks, as it is. Kind kWords: the words of
// Unicode (UAX #29) in each such piece, in one spelling: without differences of case and of
// compatible characters (NFKC_Casefold). Each punctuation mark is a word of its own; control
// characters are none. Pieces of ASCII are cut by a loop that gives what ICU would give, others by
// ICU. Bytes that are no UTF-8 become U+FFFD.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/string_table.h"

namespace cane {

class IcuWords;

/// Keeps its memory and, for pieces that are not ASCII, what it found before: one object per
/// thread.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerKind kind);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;

  /// Calls token(std::string_view) for each word of the text, in order; the views are valid until
  /// the object is used again.
  template <typename Callback>
  void tokenize(std::string_view text, const Callback& token) {
    clear();
    add(text);
    for (std::size_t i = 0; i < size(); ++i) token((*this)[i]);
  }

  /// The same in steps, for a text in several parts: the words of all parts since clear(). Views
  /// are valid until the next call of add() or clear().
  void clear();
  void add(std::string_view text);
  std::size_t size() const { return words_.size(); }
  std::string_view operator[](std::size_t i) const {
    return {bytes_.data() + words_[i].begin, words_[i].length};
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t length = 0;
  };

  /// The words of the piece that begins here; returns where it ends, null if it is not ASCII.
  const char* add_ascii(const char* begin, const char* end);
  void add_unicode(std::string_view piece);
  void add_words(std::span<const std::string> words);
  void add_word(std::string_view word);
  /// Where so many bytes can be written.
  char* room_for(std::size_t count);

  TokenizerKind kind_;
  std::string bytes_;  // the first `used_` of them are words
  std::size_t used_ = 0;
  std::vector<Range> words_;
  // The pieces that ICU has cut, numbered, and where the words of each are in `known_words_`.
  std::unique_ptr<IcuWords> icu_;
  StringTable pieces_;
  std::vector<Range> words_of_piece_;
  std::vector<std::string> known_words_;
};

}  // namespace cane
