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

std::size_t NgramHasher::length_of_run(std::span<const WordFeature> words) {
  const auto end = std::find_if(words.begin(), words.end(), [&](const WordFeature& word) {
    return word.name_space != words.front().name_space;
  });
  return static_cast<std::size_t>(end - words.begin());
}

std::uint64_t NgramHasher::start_of(std::string_view name_space) {
  return name_space.empty() ? 0 : hash_of(name_space);
}

void NgramHasher::set_units(std::span<const WordFeature> words) {
  units_.clear();
  for (const WordFeature& word : words) units_.push_back(hash_of(word.name));
}

void NgramHasher::set_units(const WordFeature& word) {
  units_.assign(1, kBeginMark);
  append_code_points(word.name, units_);
  units_.push_back(kEndMark);
}

void NgramHasher::append(std::span<const WordFeature> words, std::vector<std::uint64_t>& hashes,
                         std::vector<float>& values) {
  float nearest = 0.0F;  // to zero, of the words of the n-gram
  visit(
      words,
      [&](std::span<const WordFeature> run, std::size_t first, std::size_t end,
          std::uint64_t hash) {
        const float last = run[end - 1].value;
        if (end - first == 2) nearest = run[first].value;
        if (std::abs(last) < std::abs(nearest)) nearest = last;
        hashes.push_back(hash);
        values.push_back(nearest);
      },
      [&](const WordFeature& word, std::size_t, std::size_t, std::uint64_t hash) {
        hashes.push_back(hash);
        values.push_back(word.value);
      });
}

}  // namespace cane
