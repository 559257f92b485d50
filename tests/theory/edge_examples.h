// Examples for Proposition 1: a random score on every edge of a tree, path sums as the scores of
// the classes, the best classes as candidates, and a label among them, with noises, or outside,
// where it is the noise (steps 7 to 12 of the Beam Tree algorithm, with an exact search).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/base/types.h"
#include "core/tree/class_tree.h"

namespace cane::theory {

/// A shortlist with its classes and their scores: candidates, best first, then noises.
struct SelectedPaths {
  std::vector<ClassId> classes;
  std::vector<float> scores;
  std::vector<float> log_q;  // of the noises
  std::uint32_t label_at = 0;
};

class EdgeExamples {
 public:
  /// The tree is kept by reference.
  EdgeExamples(const ClassTree& tree, std::uint64_t seed);

  /// Every second example takes all its classes from below a random node that has enough: noises
  /// drawn from the whole tree seldom leave an edge to share.
  SelectedPaths select(std::uint64_t example, std::uint32_t candidates, std::uint32_t noises) const;

 private:
  NodeId node_with(std::uint32_t least_classes, std::uint64_t example) const;
  std::vector<float> class_scores(std::uint64_t example) const;

  const ClassTree& tree_;
  CounterRandom edge_random_;
  CounterRandom choice_random_;
  CounterRandom noise_random_;
  std::vector<std::vector<ClassId>> classes_below_;  // by node
};

}  // namespace cane::theory
