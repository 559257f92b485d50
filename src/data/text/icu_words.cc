#include "data/text/icu_words.h"

#include <fmt/format.h>
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
  constexpr std::uint32_t kNone = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_Z_MASK;
  return (U_GET_GC_MASK(first) & kNone) == 0;
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
};

IcuWords::IcuWords() : state_(std::make_unique<State>()) {}
IcuWords::~IcuWords() = default;

void IcuWords::append(std::string_view bytes, std::vector<std::string>& words) {
  for (; bytes.size() > kMaxBytes; bytes.remove_prefix(kMaxBytes)) {
    append(bytes.substr(0, kMaxBytes), words);
  }
  auto& [normalizer, iterator, given, text] = *state_;
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
