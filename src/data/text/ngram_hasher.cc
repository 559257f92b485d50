#include "data/text/ngram_hasher.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>

namespace cane {
namespace {

// Control characters: the readers reject text that has them.
constexpr std::uint64_t kBeginMark = 0x02;
constexpr std::uint64_t kEndMark = 0x03;

std::uint64_t hash_of(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

std::uint64_t extended(std::uint64_t hash, std::uint64_t unit) {
  return (hash ^ unit) * 0x9E37'79B9'7F4A'7C15;
}

// The last unit went through one product only: its high bits must be mixed, too.
std::uint64_t mixed(std::uint64_t hash) {
  return (hash ^ (hash >> 32)) * 0xD6E8'FEB8'6659'FD93;
}

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The bytes of each code point as a number. In text that is not UTF-8, whatever begins like one.
void append_code_points(std::string_view text, std::vector<std::uint64_t>& units) {
  for (const char byte : text) {
    const auto number = static_cast<std::uint64_t>(static_cast<unsigned char>(byte));
    if (continues_code_point(byte)) {
      units.back() = (units.back() << 8) | number;
    } else {
      units.push_back(number);
    }
  }
}

}  // namespace

void NgramHasher::append(std::span<const WordFeature> words, std::vector<std::uint64_t>& hashes,
                         std::vector<float>& values) {
  while (!words.empty()) {
    const std::string_view name_space = words.front().name_space;
    const auto end = std::find_if(words.begin(), words.end(), [&](const WordFeature& word) {
      return word.name_space != name_space;
    });
    const auto run = words.first(static_cast<std::size_t>(end - words.begin()));
    const std::uint64_t start = name_space.empty() ? 0 : hash_of(name_space);
    if (ngrams_.words > 1) append_word_ngrams(run, start, hashes, values);
    if (ngrams_.characters.max > 0) {
      for (const WordFeature& word : run) append_char_ngrams(word, start, hashes, values);
    }
    words = words.subspan(run.size());
  }
}

void NgramHasher::append_word_ngrams(std::span<const WordFeature> words, std::uint64_t start,
                                     std::vector<std::uint64_t>& hashes,
                                     std::vector<float>& values) {
  units_.clear();
  for (const WordFeature& word : words) units_.push_back(hash_of(word.name));
  for (std::size_t first = 0; first + 1 < words.size(); ++first) {
    const std::size_t end = std::min<std::size_t>(words.size(), first + ngrams_.words);
    std::uint64_t hash = extended(start, units_[first]);
    float value = words[first].value;
    for (std::size_t i = first + 1; i < end; ++i) {
      hash = extended(hash, units_[i]);
      if (std::abs(words[i].value) < std::abs(value)) value = words[i].value;
      hashes.push_back(mixed(hash));
      values.push_back(value);
    }
  }
}

void NgramHasher::append_char_ngrams(const WordFeature& word, std::uint64_t start,
                                     std::vector<std::uint64_t>& hashes,
                                     std::vector<float>& values) {
  const auto [shortest, longest] = ngrams_.characters;
  units_.assign(1, kBeginMark);
  append_code_points(word.name, units_);
  units_.push_back(kEndMark);
  for (std::size_t first = 0; first < units_.size(); ++first) {
    const std::size_t end = std::min<std::size_t>(units_.size(), first + longest);
    std::uint64_t hash = start;
    for (std::size_t i = first; i < end; ++i) {
      hash = extended(hash, units_[i]);
      const std::size_t length = i + 1 - first;
      const bool is_mark = length == 1 && (i == 0 || i + 1 == units_.size());
      if (length < shortest || is_mark) continue;
      hashes.push_back(mixed(hash));
      values.push_back(word.value);
    }
  }
}

}  // namespace cane
