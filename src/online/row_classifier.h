// Interface of an online tree that classifies one row, and the adapters that turn it into the
// search and the scores of a BatchPredictor. Scores are log-probabilities, unless the method has
// none.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linear/scorers/class_scorer.h"
#include "linear/weights/row_scaling.h"
#include "search/selector.h"

namespace cane {

/// The side to which a router sends an example; training and prediction share this rule.
inline bool goes_right(float margin) {
  return margin >= 0.0F;
}

class RowClassifier {
 public:
  explicit RowClassifier(std::uint32_t classes) : classes_(classes) {}
  virtual ~RowClassifier() = default;

  std::uint32_t classes() const { return classes_; }
  virtual bool has_probabilities() const { return true; }

  /// Appends classes in any order, the best one among them: the candidates it scores, or the best
  /// `keep` if it can rank all classes. Returns the number of weight rows read.
  virtual std::uint64_t look(const RowView& row, std::uint32_t keep,
                             std::vector<Candidate>& found) const = 0;
  /// Writes the scores of the given classes.
  virtual std::uint64_t score(const RowView& row, std::span<const ClassId> labels,
                              float* scores) const = 0;

 private:
  std::uint32_t classes_;
};

class OnlineScorer final : public ClassScorer {
 public:
  OnlineScorer(std::unique_ptr<const RowClassifier> classifier, RowScaling scaling, bool dense);

  std::uint32_t classes() const override { return classifier_->classes(); }
  bool is_normalized() const override { return true; }
  bool has_probabilities() const override { return classifier_->has_probabilities(); }
  bool prefers_dense_rows() const override { return dense_; }
  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      ScoringScratch& scratch, float* scores) const override;
  void score_all(std::span<const RowView> rows, ScoringScratch& scratch, std::size_t pitch,
                 float* scores) const override;

  const RowClassifier& classifier() const { return *classifier_; }
  const RowScaling& scaling() const { return scaling_; }

 private:
  std::unique_ptr<const RowClassifier> classifier_;
  RowScaling scaling_;
  bool dense_;
  std::vector<ClassId> all_;
};

class OnlineSelector final : public Selector {
 public:
  /// The scorer must outlive the object.
  explicit OnlineSelector(const OnlineScorer& scorer) : scorer_(scorer) {}
  std::unique_ptr<Worker> make_worker() const override;

 private:
  const OnlineScorer& scorer_;
};

}  // namespace cane
