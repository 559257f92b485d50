// What a selector found for a batch: for every example distinct candidate classes, best first, with
// their scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"

namespace cane {

struct Candidate {
  ClassId label;
  float score;
};

/// The highest scores first, what is not a number last; on a tie the lower class.
inline void sort_best_first(std::span<Candidate> candidates) {
  const auto key = [](const Candidate& candidate) {
    return std::isnan(candidate.score) ? -INFINITY : candidate.score;
  };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return key(a) > key(b) || (key(a) == key(b) && a.label < b.label);
  });
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
