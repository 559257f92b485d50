// The best of the scores of all classes, best first; on a tie the lower class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/best_nodes.h"
#include "search/selection.h"

namespace cane {

class TopScores {
 public:
  /// `scores` has minus infinity from `classes` on, to a multiple of kSelectMultiple. The result,
  /// min(keep, classes) long, is valid until the next call.
  std::span<const Candidate> best(std::span<const float> scores, std::uint32_t classes,
                                  std::uint32_t keep);

  /// The best few classes in no order: at least min(keep, classes), and up to a quarter more where
  /// that is found sooner.
  std::span<const ClassId> about(std::span<const float> scores, std::uint32_t classes,
                                 std::uint32_t keep);

 private:
  std::vector<std::uint32_t> places_;
  BestNodes nodes_;
  std::vector<Candidate> best_;
};

}  // namespace cane
