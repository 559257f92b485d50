#include "data/text/icu_words.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <cstdint>

#include "cane/error.h"

namespace cane {
namespace {

// Parts of a text are converted one at a time, so that lengths fit ICU's 32 bits.
constexpr std::size_t kMaxBytes = std::size_t{1} << 24;

void check(UErrorCode status) {
  if (U_SUCCESS(status)) return;
  throw Error(
      fmt::format("text cannot be cut into words: ICU reports {}; install its data, or use "
                  "`tokenizer spaces`",
                  u_errorName(status)));
}

icu::StringPiece piece_of(std::string_view text) {
  return {text.data(), static_cast<std::int32_t>(text.size())};
}

bool is_word(UChar32 first) {
  constexpr std::uint32_t kNoWord = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_Z_MASK;
  return (U_GET_GC_MASK(first) & kNoWord) == 0;
}

// A text of letters alone, with their accents, is one word by rules WB4 and WB5 of UAX #29, where
// the script puts blanks between words. Scripts that do not, whose words ICU finds in dictionaries,
// come later in Unicode.
bool is_one_word(std::string_view text) {
  constexpr UChar32 kFirstWithDictionary = 0x0E00;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int32_t>(text.size());
  for (std::int32_t place = 0; place < size;) {
    const bool is_first = place == 0;
    UChar32 c = 0;
    U8_NEXT(bytes, place, size, c);
    if (c < 0 || c >= kFirstWithDictionary) return false;
    const std::int32_t kind = u_getIntPropertyValue(c, UCHAR_WORD_BREAK);
    if (kind != U_WB_ALETTER && (is_first || kind != U_WB_EXTEND)) return false;
  }
  return !text.empty();
}

}  // namespace

struct IcuWords::State {
  State() {
    UErrorCode status = U_ZERO_ERROR;
    normalizer = icu::Normalizer2::getNFKCCasefoldInstance(status);
    check(status);
    iterator.reset(icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    check(status);
  }

  const icu::Normalizer2* normalizer = nullptr;
  std::unique_ptr<icu::BreakIterator> iterator;
  std::string folded;
};

IcuWords::IcuWords() : state_(std::make_unique<State>()) {}
IcuWords::~IcuWords() = default;

// Most of a text, and quicker: no other encoding, no iterator.
bool IcuWords::append_one_word(std::string_view bytes, std::vector<std::string>& words) {
  std::string& folded = state_->folded;
  folded.clear();
  icu::StringByteSink<std::string> sink(&folded);
  UErrorCode status = U_ZERO_ERROR;
  state_->normalizer->normalizeUTF8(0, piece_of(bytes), sink, nullptr, status);
  if (U_FAILURE(status) || !is_one_word(folded)) return false;
  words.push_back(folded);
  return true;
}

void IcuWords::append(std::string_view bytes, std::vector<std::string>& words) {
  for (; bytes.size() > kMaxBytes; bytes.remove_prefix(kMaxBytes)) {
    append(bytes.substr(0, kMaxBytes), words);
  }
  if (append_one_word(bytes, words)) return;

  UErrorCode status = U_ZERO_ERROR;
  const icu::UnicodeString text =
      state_->normalizer->normalize(icu::UnicodeString::fromUTF8(piece_of(bytes)), status);
  check(status);
  icu::BreakIterator& iterator = *state_->iterator;
  iterator.setText(text);
  std::int32_t begin = iterator.first();
  for (std::int32_t end = iterator.next(); end != icu::BreakIterator::DONE; end = iterator.next()) {
    if (is_word(text.char32At(begin))) {
      text.tempSubStringBetween(begin, end).toUTF8String(words.emplace_back());
    }
    begin = end;
  }
}

}  // namespace cane
