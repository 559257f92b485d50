// From classes that a cheap search proposed, and their scores by the model, to the best of them.
#pragma once

#include <algorithm>
#include <span>

#include "candidates/selection.h"
#include "model/class_lists.h"

namespace cane {

/// Adds, for every list, the best `keep` of its classes to the selection.
inline void rerank(const ClassLists& proposed, std::span<const float> scores, std::uint32_t keep,
                   Selection& selection) {
  for (std::size_t e = 0; e < proposed.size(); ++e) {
    const std::size_t begin = selection.candidates.size();
    for (std::uint32_t i = proposed.starts[e]; i < proposed.starts[e + 1]; ++i) {
      selection.candidates.push_back({proposed.classes[i], scores[i]});
    }
    sort_best_first(std::span(selection.candidates).subspan(begin));
    const std::size_t end = std::min<std::size_t>(selection.candidates.size(), begin + keep);
    selection.candidates.resize(end);
    selection.offsets.push_back(end);
  }
}

}  // namespace cane
