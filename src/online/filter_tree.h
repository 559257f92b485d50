// Filter Tree (Beygelzimer, Langford, Ravikumar 2009): a tournament of the classes. A node learns
// which side an example's class is on, but is trained only on examples whose class won all matches
// below it, so that it chooses between the two classes that actually reach it. A row is classified
// from the root down, with one decision per level.
//
// The tree has no probabilities. A node's margin is its confidence on the examples that reach it.
// The score of a class is minus one for every decision against it, minus the margins of those
// decisions.
#pragma once

#include "core/tree/class_tree.h"
#include "online/online_learner.h"
#include "online/routing_tree.h"
#include "online/row_classifier.h"
#include "online/row_learner.h"

namespace cane {

class FilterTreeLearner final : public OnlineLearner {
 public:
  /// `classes` must be a binary tree. All arguments must outlive the object.
  FilterTreeLearner(const OnlineInputs& inputs, const ClassTree& classes, RowLearner routers)
      : OnlineLearner(inputs),
        classes_(&classes),
        tree_(RoutingTree::of(classes)),
        routers_(routers) {}

 protected:
  void learn_example(const OnlineExample& example, Scratch& scratch, StepStats& totals) override;

 private:
  const ClassTree* classes_;
  RoutingTree tree_;
  RowLearner routers_;
};

class FilterTreeClassifier final : public RowClassifier {
 public:
  FilterTreeClassifier(const ClassTree& classes, RowScorer routers)
      : RowClassifier(classes.class_count()),
        classes_(&classes),
        tree_(RoutingTree::of(classes)),
        routers_(routers) {}

  bool has_probabilities() const override { return false; }
  std::uint64_t look(const RowView& row, std::uint32_t keep,
                     std::vector<Candidate>& found) const override;
  std::uint64_t score(const RowView& row, std::span<const ClassId> labels,
                      float* scores) const override;

 private:
  const ClassTree* classes_;
  RoutingTree tree_;
  RowScorer routers_;
};

}  // namespace cane
