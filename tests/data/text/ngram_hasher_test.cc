#include "data/text/ngram_hasher.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace cane {
namespace CANE_THIS_FILE {

using Units = std::vector<std::uint64_t>;
using Strings = std::vector<std::string>;
using Features = std::vector<std::pair<std::uint64_t, float>>;

// The hash of docs/file-formats.md, of one n-gram from its beginning.
std::uint64_t plain_feature(std::uint64_t start, const Units& units) {
  std::uint64_t hash = start;
  for (const std::uint64_t unit : units) hash = (hash ^ unit) * 0x9E3779B97F4A7C15ULL;
  return (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ULL;
}

std::uint64_t plain_hash(const std::string& text) {
  return text.empty() ? 0 : XXH3_64bits(text.data(), text.size());
}

std::uint64_t unit_of(const std::string& code_point) {
  std::uint64_t unit = 0;
  for (const char byte : code_point) unit = unit * 256 + static_cast<unsigned char>(byte);
  return unit;
}

// All runs of a length, one after the other.
std::vector<Strings> runs_of(const Strings& parts, std::size_t length) {
  std::vector<Strings> runs;
  for (std::size_t first = 0; first + length <= parts.size(); ++first) {
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
    runs.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  return runs;
}

Features plain_word_ngrams(const Strings& words, std::size_t longest) {
  Features features;
  for (std::size_t length = 2; length <= longest; ++length) {
    for (const Strings& run : runs_of(words, length)) {
      Units units;
      for (const std::string& word : run) units.push_back(plain_hash(word));
      features.emplace_back(plain_feature(0, units), 1.0F);
    }
  }
  return features;
}

// `word` comes as its code points.
Features plain_char_ngrams(const Strings& word, std::size_t shortest, std::size_t longest,
                           const std::string& name_space = "") {
  Strings marked = word;
  marked.insert(marked.begin(), "\x02");
  marked.emplace_back("\x03");
  Features features;
  for (std::size_t length = shortest; length <= longest; ++length) {
    for (const Strings& run : runs_of(marked, length)) {
      if (run == Strings{"\x02"} || run == Strings{"\x03"}) continue;
      Units units;
      for (const std::string& code_point : run) units.push_back(unit_of(code_point));
      features.emplace_back(plain_feature(plain_hash(name_space), units), 1.0F);
    }
  }
  return features;
}

Features hashed(const Ngrams& ngrams, const std::vector<WordFeature>& words) {
  NgramHasher hasher(ngrams);
  std::vector<std::uint64_t> features;
  std::vector<float> values;
  hasher.append(words, features, values);
  Features together;
  for (std::size_t i = 0; i < features.size(); ++i) together.emplace_back(features[i], values[i]);
  return together;
}

std::vector<WordFeature> as_words(const Strings& names) {
  std::vector<WordFeature> words;
  for (const std::string& name : names) words.push_back({{}, name, 1.0F});
  return words;
}

std::string joined(const Strings& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

Features sorted(Features features) {
  std::sort(features.begin(), features.end());
  return features;
}

std::set<std::uint64_t> char_features(const std::string& word, CharNgrams lengths) {
  std::set<std::uint64_t> features;
  for (const auto& [feature, value] : hashed({1, lengths, 0}, as_words({word}))) {
    features.insert(feature);
  }
  return features;
}

TEST(NgramHasher, TakesTheEndsOfLongWordsAlone) {
  const auto ends_of = [](const std::string& word) {
    return sorted(hashed({1, CharNgrams::ends(), 0}, as_words({word})));
  };
  const auto piece = [](Strings marked) {
    Units units;
    for (const std::string& code_point : marked) units.push_back(unit_of(code_point));
    return std::pair(plain_feature(0, units), 1.0F);
  };
  EXPECT_TRUE(ends_of("apple").empty());
  EXPECT_EQ(ends_of("\xC3\xA4pples"), sorted({piece({"\x02", "\xC3\xA4", "p", "p", "l", "e"}),
                                              piece({"p", "p", "l", "e", "s", "\x03"})}));
  EXPECT_EQ(ends_of("pineapples"), sorted({piece({"\x02", "p", "i", "n", "e", "a"}),
                                           piece({"\x02", "p", "i", "n", "e", "a", "p", "p"}),
                                           piece({"p", "p", "l", "e", "s", "\x03"})}));
}

TEST(NgramHasher, FindsTheRunsOfWordsThatEnumerationFinds) {
  const Strings words = {"the", "cat", "sat", "on", "the", "cat", "mat"};
  for (std::uint32_t longest = 2; longest <= kMaxWordNgrams; ++longest) {
    const Features expected = sorted(plain_word_ngrams(words, longest));
    EXPECT_EQ(sorted(hashed({longest, {}, 0}, as_words(words))), expected) << longest;
    const std::set<std::pair<std::uint64_t, float>> distinct(expected.begin(), expected.end());
    EXPECT_LT(distinct.size(), expected.size()) << "'the cat' comes twice";
  }
}

TEST(NgramHasher, FindsTheRunsOfCharactersThatEnumerationFinds) {
  // One to four bytes each; the last word has a combining mark.
  const std::vector<Strings> words = {{"w", "h", "e", "r", "e"},
                                      {"n", "a", "ï", "v", "e", "s"},
                                      {"日", "本", "語"},
                                      {"a", "😀", "é", "ß", "😀"},
                                      {"e", "\xCC\x81", "x"}};
  for (const Strings& word : words) {
    for (std::uint32_t shortest = 1; shortest <= 6; ++shortest) {
      for (std::uint32_t longest = shortest; longest <= 8; ++longest) {
        EXPECT_EQ(sorted(hashed({1, {shortest, longest}, 0}, as_words({joined(word)}))),
                  sorted(plain_char_ngrams(word, shortest, longest)))
            << joined(word) << ' ' << shortest << '-' << longest;
      }
    }
  }
}

TEST(NgramHasher, CountsCodePointsAndNotBytes) {
  EXPECT_EQ(char_features("日本語", {3, 3}).size(), 3U);
  EXPECT_EQ(char_features("abc", {3, 3}).size(), 3U);
}

TEST(NgramHasher, TakesBytesThatAreNoUtf8) {
  EXPECT_EQ(char_features("\xFF\x80\x80\x80\x80\x80\x80\x80\x80\x80", {1, 3}).size(), 4U);
  EXPECT_FALSE(char_features("\x80\x80", {1, 3}).empty());
  EXPECT_FALSE(char_features("a\xE2\x82", {1, 3}).empty());
}

TEST(NgramHasher, GivesNothingWhereThereIsTooLittle) {
  EXPECT_TRUE(hashed({4, {}, 0}, {}).empty());
  EXPECT_TRUE(hashed({4, {}, 0}, as_words({"alone"})).empty());
  EXPECT_EQ(hashed({8, {}, 0}, as_words({"two", "words"})).size(), 1U);
  EXPECT_TRUE(char_features("a", {4, 6}).empty());
  EXPECT_EQ(char_features("a", {3, 6}).size(), 1U) << "the word between its marks";
  EXPECT_EQ(char_features("ab", {1, 1}).size(), 2U) << "marks alone are nothing";
}

TEST(NgramHasher, MarksTheEndsOfAWord) {
  // "her" inside of "where" is not the word "her".
  const std::set<std::uint64_t> where = char_features("where", {3, 3});
  const std::set<std::uint64_t> her = char_features("her", {3, 3});
  Strings common;
  for (const std::uint64_t feature : her) {
    if (where.contains(feature)) common.emplace_back("her");
  }
  EXPECT_EQ(common.size(), 1U);
  EXPECT_NE(char_features("ab", {3, 3}), char_features("ba", {3, 3}));
}

TEST(NgramHasher, KeepsNameSpacesApart) {
  const std::vector<WordFeature> apart = {{"a", "x"}, {"b", "y"}};
  EXPECT_TRUE(hashed({3, {}, 0}, apart).empty());
  const std::vector<WordFeature> first = {{"a", "x"}, {"a", "y"}};
  const std::vector<WordFeature> second = {{"b", "x"}, {"b", "y"}};
  EXPECT_NE(hashed({2, {2, 4}, 0}, first), hashed({2, {2, 4}, 0}, second));
  EXPECT_EQ(sorted(hashed({1, {2, 4}, 0}, {{"a", "xyz"}})),
            sorted(plain_char_ngrams({"x", "y", "z"}, 2, 4, "a")));
}

TEST(NgramHasher, GivesNgramsTheValuesOfTheirWords) {
  const std::vector<WordFeature> words = {{"", "a", 2.0F}, {"", "b", -0.5F}, {"", "c", 3.0F}};
  std::map<float, int> counts;
  for (const auto& [feature, value] : hashed({3, {}, 0}, words)) ++counts[value];
  EXPECT_EQ(counts, (std::map<float, int>{{-0.5F, 3}}));
  counts.clear();
  for (const auto& [feature, value] : hashed({1, {2, 2}, 0}, words)) ++counts[value];
  EXPECT_EQ(counts, (std::map<float, int>{{2.0F, 2}, {-0.5F, 2}, {3.0F, 2}}));
}

TEST(NgramHasher, SpreadsOverAllFeatures) {
  // 20,000 n-grams in 2^14 buckets: a fair hash leaves a share of exp(-20000/16384) empty.
  constexpr std::uint32_t kFewBits = 14;
  NgramHasher hasher({2, {}, 0});
  std::vector<std::uint64_t> hashes;
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i) {
    const Strings words = {"w" + std::to_string(i % 100), "v" + std::to_string(i / 100)};
    hasher.append(as_words(words), hashes, values);
  }
  std::set<std::uint64_t> distinct;
  for (const std::uint64_t hash : hashes) distinct.insert(hash >> (64 - kFewBits));
  const double share = static_cast<double>(distinct.size()) / (1 << kFewBits);
  EXPECT_NEAR(share, 1.0 - std::exp(-20000.0 / 16384.0), 0.02);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
