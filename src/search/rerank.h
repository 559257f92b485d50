// From classes that a cheap search proposed, and their scores by the model, to the best of them.
#pragma once

#include <algorithm>
#include <span>

#include "linear/scorers/class_lists.h"
#include "search/selection.h"

namespace cane {

/// Adds, for every list, the best `keep` of its classes to the selection, best first.
inline void rerank(const ClassLists& proposed, std::span<const float> scores, std::uint32_t keep,
                   Selection& selection) {
  for (std::size_t e = 0; e < proposed.size(); ++e) {
    const std::size_t begin = selection.candidates.size();
    const std::uint32_t first = proposed.starts[e];
    const std::uint32_t count = proposed.starts[e + 1] - first;
    selection.candidates.resize(begin + std::min(keep, count));
    Candidate* kept = selection.candidates.data() + begin;
    // A few insertions beat a sort: most classes are worse than all that are kept.
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
