// Scores of given classes, whatever the model keeps for a class: a row of its own, or the sum along
// a path. What it says of an example does not depend on the rest of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "linear/scorers/class_lists.h"
#include "linear/scorers/path_scorer.h"

namespace cane {

/// What a thread's ClassScorer writes to.
struct ScoringScratch {
  PathScratch paths;
  std::vector<NodePair> pairs;
  std::vector<float> scores;
  std::vector<float> inputs;
  std::vector<float> decoded;  // quantized weights as floats
};

class ClassScorer {
 public:
  /// Scores of all classes come in multiples of this: the widest block of a flat table, and a
  /// multiple of what selection takes.
  static constexpr std::size_t kAllMultiple = 64;
  static_assert(kAllMultiple % kSelectMultiple == 0);

  virtual ~ClassScorer() = default;

  virtual std::uint32_t classes() const = 0;
  /// Scores are log-probabilities already.
  virtual bool is_normalized() const { return false; }
  /// Scores tell the order of the classes only, and nothing makes probabilities of them.
  virtual bool has_probabilities() const { return true; }

  /// It is quicker with rows that are spread out.
  virtual bool prefers_dense_rows() const { return false; }

  /// Writes the score of every class in the lists, list e with the features rows[e]; returns how
  /// many rows of weights that took.
  virtual std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                              ScoringScratch& scratch, float* scores) const = 0;

  /// scores[e * pitch + k] for every class k; minus infinity from the number of classes to pitch,
  /// which is at least all_pitch().
  virtual void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                         float* scores) const = 0;
  std::size_t all_pitch() const {
    return (std::size_t{classes()} / kAllMultiple + 1) * kAllMultiple;
  }
};

}  // namespace cane
