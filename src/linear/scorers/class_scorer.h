// Scores given classes, independently of how the model represents a class: as a row of its own or
// as the sum along a path. The scores of an example do not depend on the rest of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/types.h"
#include "linear/scorers/path_scorer.h"

namespace cane {

/// A list of classes for every example of a batch, stored contiguously.
struct ClassLists {
  std::vector<ClassId> classes;
  std::vector<std::uint32_t> starts = {0};  // start of each example's list, and the end of the last

  void clear() {
    classes.clear();
    starts.assign(1, 0);
  }
  /// Ends the list of an example: everything added since the last call belongs to it.
  void end_list() { starts.push_back(static_cast<std::uint32_t>(classes.size())); }
  std::size_t size() const { return starts.size() - 1; }
  std::span<const ClassId> of(std::size_t example) const {
    return std::span(classes).subspan(starts[example], starts[example + 1] - starts[example]);
  }
};

/// Scratch memory of a ClassScorer, one per thread.
struct ScoringScratch {
  PathScratch paths;
  std::vector<NodePair> pairs;
  std::vector<float> scores;
  std::vector<float> inputs;
  std::vector<float> decoded;  // quantized weights as floats
};

class ClassScorer {
 public:
  /// Scores of all classes are padded to multiples of this: the width of the widest block of a flat
  /// table, and a multiple of what selection requires.
  static constexpr std::size_t kAllMultiple = 64;
  static_assert(kAllMultiple % kSelectMultiple == 0);

  virtual ~ClassScorer() = default;

  virtual std::uint32_t classes() const = 0;
  /// Whether scores are already log-probabilities.
  virtual bool is_normalized() const { return false; }
  /// Whether scores only rank the classes and cannot be converted to probabilities.
  virtual bool has_probabilities() const { return true; }

  /// Whether scoring is faster with dense rows.
  virtual bool prefers_dense_rows() const { return false; }

  /// Writes the score of every class in the lists, list e with the features rows[e]; returns the
  /// number of weight rows read.
  virtual std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                              ScoringScratch& scratch, float* scores) const = 0;

  /// Writes scores[e * pitch + k] for every class k, and minus infinity from the number of classes
  /// up to pitch, which must be at least all_pitch().
  virtual void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                         float* scores) const = 0;
  std::size_t all_pitch() const {
    return (std::size_t{classes()} / kAllMultiple + 1) * kAllMultiple;
  }
};

}  // namespace cane
