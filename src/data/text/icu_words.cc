#include "data/text/icu_words.h"

#include <fmt/format.h>
#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <cstdint>

#include "cane/error.h"

namespace cane {
namespace {

constexpr UChar32 kReplacement = 0xFFFD;
// Parts of a text are converted one at a time, so that lengths fit ICU's 32 bits.
constexpr std::size_t kMaxBytes = std::size_t{1} << 24;

void check(UErrorCode status) {
  if (U_SUCCESS(status)) return;
  throw Error(
      fmt::format("text cannot be cut into words: ICU reports {}; install its data, or use "
                  "`tokenizer spaces`",
                  u_errorName(status)));
}

bool is_word(UChar32 first) {
  constexpr std::uint32_t kNoWord = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_Z_MASK;
  return (U_GET_GC_MASK(first) & kNoWord) == 0;
}

// Letters of scripts that put blanks between words; from here on come scripts that do not, and
// whose words ICU finds in dictionaries.
constexpr UChar32 kFirstWithDictionary = 0x0E00;

// The character at `place` of UTF-8, which is moved behind it; kFirstWithDictionary for characters
// from there on and for bytes that are no text.
UChar32 next_character(std::string_view text, std::size_t& place) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? unsigned{static_cast<unsigned char>(text[i])} : 0U;
  };
  const unsigned lead = byte(place++);
  if (lead < 0x80) return static_cast<UChar32>(lead);
  const bool is_long = lead == 0xE0;
  if (!is_long && (lead < 0xC2 || lead > 0xDF)) return kFirstWithDictionary;
  unsigned character = lead & 0x1FU;
  for (int more = is_long ? 2 : 1; more > 0; --more) {
    const unsigned next = byte(place++);
    if ((next & 0xC0U) != 0x80U) return kFirstWithDictionary;
    character = character << 6U | (next & 0x3FU);
  }
  return is_long && character < 0x800 ? kFirstWithDictionary : static_cast<UChar32>(character);
}

// A text of such letters alone, with their accents, is one word by rules WB4 and WB5 of UAX #29.
bool is_one_word(std::string_view text) {
  for (std::size_t place = 0; place < text.size();) {
    const bool is_first = place == 0;
    const UChar32 c = next_character(text, place);
    if (c >= kFirstWithDictionary) return false;
    const std::int32_t kind = u_getIntPropertyValue(c, UCHAR_WORD_BREAK);
    if (kind != U_WB_ALETTER && (is_first || kind != U_WB_EXTEND)) return false;
  }
  return !text.empty();
}

std::int32_t size_of(const std::u16string& text) {
  return static_cast<std::int32_t>(text.size());
}

// Calls convert(target, capacity, length, status), again with more room if that was too little.
template <typename Convert>
void fill(std::u16string& target, std::size_t likely, const Convert& convert) {
  target.resize(std::max(likely, target.capacity()));
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t length = convert(target.data(), size_of(target), &status);
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    target.resize(static_cast<std::size_t>(length));
    status = U_ZERO_ERROR;
    length = convert(target.data(), size_of(target), &status);
  }
  check(status);
  target.resize(static_cast<std::size_t>(length));
}

std::string to_utf8(const char16_t* text, std::int32_t length) {
  std::string bytes(static_cast<std::size_t>(length) * 3, '\0');
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t count = 0;
  u_strToUTF8WithSub(bytes.data(), static_cast<std::int32_t>(bytes.size()), &count, text, length,
                     kReplacement, nullptr, &status);
  if (status != U_STRING_NOT_TERMINATED_WARNING) check(status);
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

}  // namespace

struct IcuWords::State {
  State() {
    UErrorCode status = U_ZERO_ERROR;
    normalizer = unorm2_getNFKCCasefoldInstance(&status);
    check(status);
    iterator = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
    check(status);
  }
  ~State() { ubrk_close(iterator); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const UNormalizer2* normalizer = nullptr;
  UBreakIterator* iterator = nullptr;
  std::u16string given;
  std::u16string text;
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
  const auto size = static_cast<std::int32_t>(bytes.size());
  icu::Normalizer2::getNFKCCasefoldInstance(status)->normalizeUTF8(
      0, icu::StringPiece(bytes.data(), size), sink, nullptr, status);
  if (U_FAILURE(status) || !is_one_word(folded)) return false;
  words.push_back(folded);
  return true;
}

void IcuWords::append(std::string_view bytes, std::vector<std::string>& words) {
  for (; bytes.size() > kMaxBytes; bytes.remove_prefix(kMaxBytes)) {
    append(bytes.substr(0, kMaxBytes), words);
  }
  if (append_one_word(bytes, words)) return;
  auto& [normalizer, iterator, given, text, folded] = *state_;
  fill(given, bytes.size(), [&](char16_t* target, std::int32_t capacity, UErrorCode* status) {
    std::int32_t length = 0;
    u_strFromUTF8WithSub(target, capacity, &length, bytes.data(),
                         static_cast<std::int32_t>(bytes.size()), kReplacement, nullptr, status);
    return length;
  });
  // clang 14 captures no structured bindings by themselves.
  const auto normalize = [&from = given, &rules = normalizer](
                             char16_t* target, std::int32_t capacity, UErrorCode* status) {
    return unorm2_normalize(rules, from.data(), size_of(from), target, capacity, status);
  };
  fill(text, given.size() + 1, normalize);
  UErrorCode status = U_ZERO_ERROR;
  ubrk_setText(iterator, text.data(), size_of(text), &status);
  check(status);
  std::int32_t begin = ubrk_first(iterator);
  for (std::int32_t end = ubrk_next(iterator); end != UBRK_DONE; end = ubrk_next(iterator)) {
    UChar32 first = 0;
    U16_GET(text, 0, begin, size_of(text), first);
    if (is_word(first)) words.push_back(to_utf8(text.data() + begin, end - begin));
    begin = end;
  }
}

}  // namespace cane
