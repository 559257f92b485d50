#include "data/blocks/ngram_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/base/random.h"
#include "data/blocks/parsed_block.h"

namespace cane {
namespace CANE_THIS_FILE {

using Hashes = std::vector<std::uint64_t>;

ParsedBlock block_of(const Hashes& hashes) {
  ParsedBlock block;
  for (const std::uint64_t hash : hashes) {
    const std::uint32_t number = block.ngrams.find_or_add(hash);
    if (number == block.ngram_counts.size()) block.ngram_counts.push_back(0);
    ++block.ngram_counts[number];
  }
  return block;
}

// Of few values, some of them frequent.
Hashes random_hashes(std::uint64_t seed, std::size_t count, std::uint32_t values) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  Hashes hashes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = random.below(1 + random.below(values, i, 0), i, 1);
    hashes.push_back((value + 1) * 0x9E3779B97F4A7C15U);
  }
  return hashes;
}

TEST(NgramNumbers, NumberHashesInTheirOrder) {
  NgramNumbers numbers;
  std::map<std::uint64_t, std::uint32_t> expected;
  for (const std::uint64_t hash : random_hashes(1, 3000, 500)) {
    const auto next = static_cast<std::uint32_t>(expected.size());
    EXPECT_EQ(numbers.find_or_add(hash), expected.emplace(hash, next).first->second);
  }
  EXPECT_EQ(numbers.find_or_add(0), expected.size());
  EXPECT_EQ(numbers.take().size(), expected.size() + 1);
  EXPECT_TRUE(numbers.hashes().empty());
}

TEST(NgramCounts, FindWhatCountingFinds) {
  NgramCounts counts;
  std::map<std::uint64_t, int> expected;
  ThreadPool pool(2);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<ParsedBlock> blocks;
    for (const std::uint64_t part : {2 * seed, 2 * seed + 1}) {
      const Hashes hashes = random_hashes(part, 2000, 3000);
      for (const std::uint64_t hash : hashes) ++expected[hash];
      blocks.push_back(block_of(hashes));
    }
    counts.add(blocks, pool);
  }
  for (const int least : {1, 2, 5}) {
    Hashes frequent;
    for (const auto& [hash, count] : expected) {
      if (count >= least) frequent.push_back(hash);
    }
    EXPECT_EQ(counts.frequent(static_cast<std::uint32_t>(least), pool), frequent);
  }
}

TEST(NgramCounts, ForgetWhatIsRareWhenThereIsTooMuch) {
  constexpr std::size_t kMost = 1600;
  Hashes frequent;
  for (std::uint64_t i = 0; i < 100; ++i) frequent.push_back((i + 1) * 0xD6E8FEB86659FD93U);
  Hashes first_found;
  for (const int threads : {1, 3}) {
    NgramCounts counts(kMost);
    ThreadPool pool(threads);
    for (std::uint64_t round = 0; round < 30; ++round) {
      Hashes hashes = frequent;
      for (std::uint64_t i = 0; i < 500; ++i) {
        hashes.push_back((1'000'000 + 500 * round + i) * 0x9E3779B97F4A7C15U);
      }
      const std::vector<ParsedBlock> blocks = {block_of(hashes)};
      counts.add(blocks, pool);
    }
    const Hashes all = counts.frequent(1, pool);
    EXPECT_LE(all.size(), 2 * kMost);
    Hashes sorted = frequent;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(counts.frequent(20, pool), sorted);
    if (first_found.empty()) first_found = all;
    EXPECT_EQ(all, first_found) << "whatever the threads";
  }
}

TEST(NgramDictionary, FindsThePlaceOfEveryHashAndNoOther) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 100U, 5000U}) {
    Hashes hashes;
    for (std::uint64_t i = 0; i < size; ++i) hashes.push_back((i + 1) * 0x9E3779B97F4A7C15U);
    if (size > 2) hashes.insert(hashes.end(), {0, ~std::uint64_t{0}, 1, 2, 3});
    std::sort(hashes.begin(), hashes.end());
    const NgramDictionary dictionary(hashes);
    for (std::size_t i = 0; i < hashes.size(); ++i) EXPECT_EQ(dictionary.find(hashes[i]), i);
    for (const std::uint64_t other :
         {std::uint64_t{4}, ~std::uint64_t{0} - 1, std::uint64_t{1} << 60}) {
      EXPECT_EQ(dictionary.find(other), NgramDictionary::kNone);
    }
  }
  EXPECT_EQ(NgramDictionary().find(7), NgramDictionary::kNone);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
