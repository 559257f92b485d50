// How often each word followed each other word in a corpus.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cane::lm {

/// The successors of context c are at offsets[c] .. offsets[c + 1], in ascending order. Pairs that
/// occurred less often than the minimum are left out, but count in `kinds`.
struct BigramCounts {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> kinds;  // [words] different successors of a context
};

/// Tokens are below `words`. A pair seen once predicts little on other text, but is always right on
/// the training text itself; `least` = 2 leaves such pairs out.
BigramCounts count_bigrams(std::span<const std::uint32_t> tokens, std::uint32_t words,
                           std::uint32_t least = 2);

}  // namespace cane::lm
