// Recall Tree (Daumé, Karampatziakis, Langford, Mineiro 2017): a binary tree of routers whose nodes
// count the classes of the examples that reach them. An example descends while the lower bound on
// the recall of a node's most frequent classes does not fall. Where it stops, these candidates are
// scored one-against-some: each class has a row of weights over the features and over the nodes
// passed on the way (except the root, which every example passes). A router learns the side on
// which the example adds less to the entropy of the classes, with the difference as its importance
// weight.
//
// Probabilities: the candidates share the fraction of the node's examples that they cover, by a
// softmax of their scores times a constant; the other classes share the rest evenly.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/model_data.h"
#include "online/online_learner.h"
#include "online/routing_state.h"
#include "online/row_classifier.h"
#include "online/row_learner.h"

namespace cane {

/// Lower confidence bound on the recall of a node, the share of its examples whose class is one of
/// its candidates (the empirical Bernstein bound of the paper; Maurer and Pontil 2009). It decides
/// where an example stops. `covered` of `count` examples have a class that is a candidate; `factor`
/// scales the distance of the bound from the share. Returns 0 if there are no examples.
inline double recall_bound(double covered, double count, double factor) {
  if (count <= 0.0) return 0.0;
  const double share = std::min(covered / count, 1.0);
  const double deviation = std::sqrt(factor * share * (1.0 - share) / count);
  const double range = factor * 15.0 / (std::sqrt(18.0) * count);
  return std::max(share - deviation - range, 0.0);
}

/// Log-probabilities of all classes at a node, computed from the scores of its candidates.
class CandidateLaw {
 public:
  CandidateLaw(const RoutingState& state, NodeId node, std::uint32_t classes,
               std::span<const float> scores);

  double of_candidate(float score) const;
  double of_other() const { return others_; }

 private:
  double candidates_;
  double others_;
};

class RecallTreeLearner final : public OnlineLearner {
 public:
  /// All arguments must outlive the object.
  RecallTreeLearner(const OnlineInputs& inputs, const ModelData& model, RoutingState& state,
                    RowLearner classes, RowLearner routers);

 protected:
  void learn_example(const OnlineExample& example, Scratch& scratch, StepStats& totals) override;

 private:
  NodeId route(const OnlineExample& example, Scratch& scratch, StepStats& totals);
  bool train_router(NodeId node, const OnlineExample& example, Scratch& scratch);
  void count(NodeId node, const OnlineExample& example);
  void train_candidates(NodeId node, const OnlineExample& example, Scratch& scratch,
                        StepStats& totals);
  void score_candidates(NodeId node, const RowView& row);

  RoutingState* state_;
  std::uint32_t class_count_;
  std::uint32_t candidate_count_;
  double bound_factor_;
  RowLearner classes_;
  RowLearner routers_;
  std::vector<double> bounds_;
  std::vector<ClassId> candidates_;
  std::vector<float> scores_;
  std::vector<RowLearner::Extra> extras_;  // extras of all candidates
  std::vector<std::size_t> extra_ends_;    // end of each candidate's extras
};

class RecallTreeClassifier final : public RowClassifier {
 public:
  /// The model must outlive the object.
  RecallTreeClassifier(const ModelData& model, RowScorer classes, RowScorer routers);

  std::uint64_t look(const RowView& row, std::uint32_t keep,
                     std::vector<Candidate>& found) const override;
  std::uint64_t score(const RowView& row, std::span<const ClassId> labels,
                      float* scores) const override;

 private:
  // The candidates of the node where a row stops, in the order of the classes.
  struct Verdict {
    NodeId node = 0;
    std::vector<ClassId> candidates;
    std::vector<float> scores;
    std::uint64_t scored = 0;
  };
  Verdict judge(const RowView& row) const;

  const RoutingState* state_;
  RowScorer classes_;
  RowScorer routers_;
  std::vector<double> bounds_;
};

}  // namespace cane
