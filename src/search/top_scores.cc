#include "search/top_scores.h"

#include <algorithm>

#include "core/simd/select_best.h"

namespace cane {

std::span<const Candidate> TopScores::top_k(std::span<const float> scores, std::uint32_t classes,
                                            std::uint32_t keep) {
  keep = std::min(keep, classes);
  nodes_.reset(keep);
  places_.resize(keep);
  if (keep < classes && keep <= kSelectMost && select_best(scores, keep, places_.data())) {
    for (const std::uint32_t k : places_) nodes_.offer({scores[k], k, k});
  } else {
    for (ClassId k = 0; k < classes; ++k) nodes_.offer({scores[k], k, k});
  }
  best_.clear();
  for (const ScoredNode& node : nodes_.sorted()) best_.push_back({node.tie, node.score});
  return best_;
}

std::span<const ClassId> TopScores::approximate_top_k(std::span<const float> scores,
                                                      std::uint32_t classes, std::uint32_t keep) {
  const std::uint32_t most = keep + keep / 4;
  places_.resize(most);
  if (most < classes) {
    const std::uint32_t found = select_approximately(scores, keep, most, places_.data());
    if (found > 0) return std::span(places_).first(found);
  }
  const auto sorted = top_k(scores, classes, keep);
  places_.clear();
  for (const Candidate& candidate : sorted) places_.push_back(candidate.class_id);
  return places_;
}

}  // namespace cane
