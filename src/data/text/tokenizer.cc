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
enum class Kind : std::uint8_t {
  kBlank,
  kNotAscii,
  kControl,
  kMark,
  kLetter,
  kDigit,
  kJoiner,
  kMidNumber,
  kMid
};

constexpr Kind kind_of(unsigned char character) {
  if (is_blank(static_cast<char>(character)) || character == '\n') return Kind::kBlank;
  if (character >= 0x80) return Kind::kNotAscii;
  if (character < 0x20 || character == 0x7F) return Kind::kControl;
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

constexpr std::array<Letter, 256> kLetters = [] {
  std::array<Letter, 256> letters{};
  for (unsigned i = 0; i < letters.size(); ++i) {
    const bool is_capital = i >= 'A' && i <= 'Z';
    letters[i] = {kind_of(static_cast<unsigned char>(i)),
                  static_cast<char>(is_capital ? i + ('a' - 'A') : i)};
  }
  return letters;
}();

Letter letter(char character) {
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
constexpr std::uint32_t kMaxPieces = 1U << 13;
constexpr std::size_t kMaxPieceBytes = 64;

}  // namespace

Tokenizer::Tokenizer(TokenizerKind kind) : kind_(kind) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;

void Tokenizer::clear() {
  used_ = 0;
  words_.clear();
}

void Tokenizer::add(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* cursor = text.data();
  while (true) {
    while (cursor != end && letter(*cursor).kind == Kind::kBlank) ++cursor;
    if (cursor == end) return;
    const char* stop = kind_ == TokenizerKind::kWords ? add_ascii(cursor, end) : nullptr;
    if (stop == nullptr) {
      stop = std::find_if(cursor, end, [](char c) { return letter(c).kind == Kind::kBlank; });
      const std::string_view piece(cursor, static_cast<std::size_t>(stop - cursor));
      if (kind_ == TokenizerKind::kWords) {
        add_unicode(piece);
      } else {
        add_word(piece);
      }
    }
    cursor = stop;
  }
}

// In one pass over the piece, which takes back what it has done where the piece is not ASCII.
const char* Tokenizer::add_ascii(const char* begin, const char* end) {
  const std::size_t words_before = words_.size();
  char* const folded = room_for(static_cast<std::size_t>(end - begin));
  const auto kind_at = [&](const char* place) {
    return place == end ? Kind::kBlank : letter(*place).kind;
  };
  const char* cursor = begin;
  while (true) {
    const char* const start = cursor;
    auto kind = kind_at(cursor);
    if (kind == Kind::kBlank || kind == Kind::kNotAscii) break;
    folded[cursor - begin] = letter(*cursor).folded;
    ++cursor;
    if (is_in_word(kind)) {
      for (Kind next = kind_at(cursor);
           is_in_word(next) || joins(kind, next, kind_at(cursor + (next == Kind::kBlank ? 0 : 1)));
           next = kind_at(cursor)) {
        folded[cursor - begin] = letter(*cursor).folded;
        ++cursor;
        if (is_in_word(next)) kind = next;
      }
    }
    if (kind == Kind::kControl) continue;
    words_.push_back({used_ + static_cast<std::size_t>(start - begin),
                      static_cast<std::size_t>(cursor - start)});
  }
  if (kind_at(cursor) == Kind::kNotAscii) {
    words_.resize(words_before);
    return nullptr;
  }
  used_ += static_cast<std::size_t>(cursor - begin);
  return cursor;
}

char* Tokenizer::room_for(std::size_t count) {
  if (bytes_.size() - used_ < count) bytes_.resize(std::max(used_ + count, 2 * bytes_.size()));
  return bytes_.data() + used_;
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
  for (const std::string& word : words) add_word(word);
}

void Tokenizer::add_word(std::string_view word) {
  std::copy(word.begin(), word.end(), room_for(word.size()));
  words_.push_back({used_, word.size()});
  used_ += word.size();
}

}  // namespace cane
