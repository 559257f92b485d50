// LOMTree (Choromanska, Langford 2015): a binary tree that grows as examples are processed. A
// router keeps the mean of its margin over all examples that pass it, and over those of each class.
// It is trained to send an example to the side of the overall mean on which the mean of its class
// lies, which makes the split both balanced and pure. A leaf predicts its most frequent class, and
// is split when it sees a second one. Once all nodes are in use, a leaf may still be split by
// recycling the least used leaf: if the examples that reached it as a leaf and are not of its class
// outnumber `swap_resistance` times (the count of the least used leaf plus one). (The paper
// computes them from a count that is partly inherited, so a new leaf looks impure before it has
// seen any example.)
//
// The probability of a class is its share of the leaf's examples, smoothed by one example of the
// predicted class and one spread over all classes in proportion to their frequency.
#pragma once

#include <vector>

#include "online/online_learner.h"
#include "online/routing_state.h"
#include "online/row_classifier.h"
#include "online/row_learner.h"

namespace cane {

/// Probabilities of classes at a leaf.
class LeafLaw {
 public:
  explicit LeafLaw(std::span<const std::uint64_t> class_counts);

  double probability(const RoutingState& state, NodeId leaf, ClassId label) const;
  std::uint32_t classes() const { return static_cast<std::uint32_t>(prior_.size()); }

 private:
  std::vector<double> prior_;
};

class LomTreeLearner final : public OnlineLearner {
 public:
  /// All arguments must outlive the object.
  LomTreeLearner(const OnlineInputs& inputs, const TrainConfig& config,
                 std::span<const std::uint64_t> class_counts, RoutingState& state,
                 RowLearner routers);

 protected:
  void learn_example(const OnlineExample& example, Scratch& scratch, StepStats& totals) override;

 private:
  /// Splits the leaf if this example calls for it; returns whether it became an inner node.
  bool split(NodeId leaf, ClassId label, double weight);
  bool is_worth_swapping(NodeId leaf, ClassId label, double weight) const;
  NodeId least_used_leaf() const;
  void give_up(NodeId leaf);
  void begin_children(NodeId node);
  void count_at_leaf(NodeId leaf, ClassId label, double weight);
  /// Trains the router of a node and returns its margin after the update.
  float pass(NodeId node, const OnlineExample& example, Scratch& scratch);
  void refresh_least(NodeId node);

  const TrainConfig* config_;
  LeafLaw law_;
  RoutingState* state_;
  RowLearner routers_;
  std::vector<double> least_;  // the smallest count of a leaf below each node
};

class LomTreeClassifier final : public RowClassifier {
 public:
  LomTreeClassifier(std::span<const std::uint64_t> class_counts, const RoutingState& state,
                    RowScorer routers)
      : RowClassifier(static_cast<std::uint32_t>(class_counts.size())),
        law_(class_counts),
        state_(&state),
        routers_(routers) {}

  std::uint64_t look(const RowView& row, std::uint32_t keep,
                     std::vector<Candidate>& found) const override;
  std::uint64_t score(const RowView& row, std::span<const ClassId> labels,
                      float* scores) const override;

 private:
  struct Place {
    NodeId leaf;
    std::uint64_t scored;
  };
  Place descend(const RowView& row) const;
  float log_probability(NodeId leaf, ClassId label) const;

  LeafLaw law_;
  const RoutingState* state_;
  RowScorer routers_;
};

}  // namespace cane
