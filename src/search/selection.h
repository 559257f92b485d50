// The result of a selector for a batch: for every example, distinct candidate classes, best first,
// with their scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "linear/scorers/class_lists.h"

namespace cane {

struct Candidate {
  ClassId class_id;
  float score;
};

/// NaN is worse than any other score; on a tie the lower class is better.
inline bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score > b.score) return true;
  if (a.score < b.score) return false;
  if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
  return a.class_id < b.class_id;
}

struct Selection {
  std::vector<Candidate> candidates;
  std::vector<std::size_t> offsets;  // first candidate of each example, and the end
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

/// Adds to the selection, for every list of proposed classes, the best `keep` by their model
/// scores, best first.
inline void rerank(const ClassLists& proposed, std::span<const float> scores, std::uint32_t keep,
                   Selection& selection) {
  for (std::size_t e = 0; e < proposed.size(); ++e) {
    const std::size_t begin = selection.candidates.size();
    const std::uint32_t first = proposed.starts[e];
    const std::uint32_t count = proposed.starts[e + 1] - first;
    selection.candidates.resize(begin + std::min(keep, count));
    Candidate* kept = selection.candidates.data() + begin;
    // Insertion is faster than sorting here: most classes are worse than all that are kept.
    std::uint32_t size = 0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Candidate candidate = {proposed.classes[i], scores[i]};
      if (size == keep && !is_better(candidate, kept[size - 1])) continue;
      std::uint32_t place = size < keep ? size++ : size - 1;
      for (; place > 0 && is_better(candidate, kept[place - 1]); --place) {
        kept[place] = kept[place - 1];
      }
      kept[place] = candidate;
    }
    selection.offsets.push_back(selection.candidates.size());
  }
}

}  // namespace cane
