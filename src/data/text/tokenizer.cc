#include "data/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "data/text/icu_words.h"
#include "data/text/number.h"

namespace cane {
namespace {

// What the rules of UAX #29 make of a character of ASCII, as ICU has them: it counts '@' as a
// letter and ':' as no part of a word.
enum class Kind : std::uint8_t { kControl, kMark, kLetter, kDigit, kJoiner, kMidNumber, kMid };

constexpr Kind kind_of(unsigned char character) {
  if (character <= 0x20 || character == 0x7F) return Kind::kControl;
  if (character >= '0' && character <= '9') return Kind::kDigit;
  const auto lower = static_cast<unsigned char>(character | 0x20U);
  if ((lower >= 'a' && lower <= 'z') || character == '@') return Kind::kLetter;
  if (character == '_') return Kind::kJoiner;
  if (character == '.' || character == '\'') return Kind::kMid;
  if (character == ',' || character == ';') return Kind::kMidNumber;
  return Kind::kMark;
}

struct Letter {
  Kind kind = Kind::kControl;
  char folded = 0;
};

constexpr std::array<Letter, 128> kLetters = [] {
  std::array<Letter, 128> letters{};
  for (unsigned i = 0; i < letters.size(); ++i) {
    const bool is_capital = i >= 'A' && i <= 'Z';
    letters[i] = {kind_of(static_cast<unsigned char>(i)),
                  static_cast<char>(is_capital ? i + ('a' - 'A') : i)};
  }
  return letters;
}();

const Letter& letter(char character) {
  return kLetters[static_cast<unsigned char>(character)];
}

bool is_in_word(Kind kind) {
  return kind == Kind::kLetter || kind == Kind::kDigit || kind == Kind::kJoiner;
}

// Whether a mark joins what is before and after it: c.d, don't, 1,000.
bool joins(Kind before, Kind mark, Kind after) {
  if (before != after) return false;
  if (before == Kind::kLetter) return mark == Kind::kMid;
  return before == Kind::kDigit && (mark == Kind::kMid || mark == Kind::kMidNumber);
}

// Pieces that are remembered: at most so many, and none that is so long that it will not come
// again.
constexpr std::uint32_t kMaxPieces = 1U << 16;
constexpr std::size_t kMaxPieceBytes = 64;

}  // namespace

Tokenizer::Tokenizer(TokenizerKind kind) : kind_(kind) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;

void Tokenizer::clear() {
  bytes_.clear();
  words_.clear();
}

void Tokenizer::add(std::string_view text) {
  const auto is_blank = [](char character) {
    return cane::is_blank(character) || character == '\n';
  };
  const char* const end = text.data() + text.size();
  const char* cursor = text.data();
  while (true) {
    while (cursor != end && is_blank(*cursor)) ++cursor;
    if (cursor == end) return;
    const char* const begin = cursor;
    unsigned char all = 0;
    for (; cursor != end && !is_blank(*cursor); ++cursor)
      all |= static_cast<unsigned char>(*cursor);
    const std::string_view piece(begin, static_cast<std::size_t>(cursor - begin));
    if (kind_ != TokenizerKind::kWords) {
      words_.push_back({bytes_.size(), piece.size()});
      bytes_ += piece;
    } else if (all < 0x80) {
      add_ascii(piece);
    } else {
      add_unicode(piece);
    }
  }
}

void Tokenizer::add_ascii(std::string_view piece) {
  const std::size_t start = bytes_.size();
  bytes_.resize(start + piece.size());
  char* const folded = bytes_.data() + start;
  const std::size_t size = piece.size();
  for (std::size_t begin = 0; begin < size;) {
    Kind kind = letter(piece[begin]).kind;
    folded[begin] = letter(piece[begin]).folded;
    std::size_t end = begin + 1;
    if (is_in_word(kind)) {
      for (; end < size; ++end) {
        const auto [next, lower] = letter(piece[end]);
        if (!is_in_word(next) &&
            (end + 1 == size || !joins(kind, next, letter(piece[end + 1]).kind))) {
          break;
        }
        folded[end] = lower;
        if (is_in_word(next)) kind = next;
      }
    }
    if (kind != Kind::kControl) words_.push_back({start + begin, end - begin});
    begin = end;
  }
}

void Tokenizer::add_unicode(std::string_view piece) {
  if (icu_ == nullptr) icu_ = std::make_unique<IcuWords>();
  if (piece.size() > kMaxPieceBytes) {
    std::vector<std::string> words;
    icu_->append(piece, words);
    add_words(words);
    return;
  }
  if (pieces_.size() >= kMaxPieces) {
    pieces_ = {};
    words_of_piece_.clear();
    known_words_.clear();
  }
  const std::uint32_t number = pieces_.find_or_add(piece);
  if (number == words_of_piece_.size()) {
    const std::size_t begin = known_words_.size();
    icu_->append(piece, known_words_);
    words_of_piece_.push_back({begin, known_words_.size() - begin});
  }
  const auto [first, count] = words_of_piece_[number];
  add_words(std::span(known_words_).subspan(first, count));
}

void Tokenizer::add_words(std::span<const std::string> words) {
  for (const std::string& word : words) {
    words_.push_back({bytes_.size(), word.size()});
    bytes_ += word;
  }
}

}  // namespace cane
