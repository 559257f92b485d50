#include "lm/sampled/bigram_counts.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace cane::lm {

BigramCounts count_bigrams(std::span<const std::uint32_t> tokens, std::uint32_t words,
                           std::uint32_t least) {
  // All successors, context by context.
  std::vector<std::size_t> begins(std::size_t{words} + 1, 0);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    assert(tokens[i] < words && tokens[i + 1] < words);
    ++begins[tokens[i] + std::size_t{1}];
  }
  for (std::size_t c = 0; c < words; ++c) begins[c + 1] += begins[c];
  std::vector<std::uint32_t> successors(begins.back());
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) successors[next[tokens[i]]++] = tokens[i + 1];

  BigramCounts bigrams;
  bigrams.offsets.reserve(std::size_t{words} + 1);
  bigrams.offsets.push_back(0);
  bigrams.kinds.assign(words, 0);
  for (std::size_t c = 0; c < words; ++c) {
    const auto end = successors.begin() + static_cast<std::ptrdiff_t>(begins[c + 1]);
    auto run = successors.begin() + static_cast<std::ptrdiff_t>(begins[c]);
    std::sort(run, end);
    while (run != end) {
      const auto run_end = std::upper_bound(run, end, *run);
      const auto count = static_cast<std::uint32_t>(run_end - run);
      ++bigrams.kinds[c];
      if (count >= least) {
        bigrams.words.push_back(*run);
        bigrams.counts.push_back(count);
      }
      run = run_end;
    }
    bigrams.offsets.push_back(static_cast<std::int64_t>(bigrams.words.size()));
  }
  return bigrams;
}

}  // namespace cane::lm
