// What a selector found for a batch: for every example distinct candidate classes, best first, with
// their scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "search/best_nodes.h"

namespace cane {

struct Candidate {
  ClassId label;
  float score;
};

/// A score that is not a number is worse than any other; on a tie the lower class is better.
inline bool is_better(const Candidate& a, const Candidate& b) {
  return is_better(ScoredNode{a.score, a.label, 0}, ScoredNode{b.score, b.label, 0});
}

struct Selection {
  std::vector<Candidate> candidates;
  std::vector<std::size_t> offsets;  // of each example, and the end
  std::uint64_t rows_scored = 0;     // in this batch

  void clear() {
    candidates.clear();
    offsets.assign(1, 0);
    rows_scored = 0;
  }
  std::span<const Candidate> of(std::size_t example) const {
    return std::span(candidates).subspan(offsets[example], offsets[example + 1] - offsets[example]);
  }
};

}  // namespace cane
