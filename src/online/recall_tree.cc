#include "online/recall_tree.h"

#include <algorithm>
#include <cmath>

namespace cane {
namespace {

// Scores are in [-1, 1], and many candidates are near -1: their sum must not outweigh a single
// confident candidate.
constexpr double kSharpness = 6.0;

double bound_of(const RoutingState& state, NodeId node, double factor) {
  return recall_bound(state.histograms[node].top_mass(), state.counts[node], factor);
}

std::vector<double> bounds_of(const RoutingState& state, double factor) {
  std::vector<double> bounds;
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    bounds.push_back(bound_of(state, node, factor));
  }
  return bounds;
}

double c_ln_c(double count) {
  return count > 0.0 ? count * std::log(count) : 0.0;
}

// Increase of (entropy of a node's classes x their count) caused by one example.
double entropy_added(double node_count, double class_count, double weight) {
  return (c_ln_c(node_count + weight) - c_ln_c(node_count)) -
         (c_ln_c(class_count + weight) - c_ln_c(class_count));
}

}  // namespace

CandidateLaw::CandidateLaw(const RoutingState& state, NodeId node, std::uint32_t classes,
                           std::span<const float> scores) {
  const auto all = static_cast<double>(classes);
  const auto some = static_cast<double>(scores.size());
  // Add one example spread evenly over all classes, so that every class has nonzero probability.
  const double share =
      (state.histograms[node].top_mass() + some / all) / (state.counts[node] + 1.0);
  double sum = 0.0;
  for (const float score : scores) sum += std::exp(kSharpness * static_cast<double>(cut(score)));
  candidates_ = std::log(share) - std::log(sum);
  others_ = std::log((1.0 - share) / std::max(all - some, 1.0));
}

double CandidateLaw::of_candidate(float score) const {
  return candidates_ + kSharpness * static_cast<double>(cut(score));
}

RecallTreeLearner::RecallTreeLearner(const OnlineInputs& inputs, const ModelData& model,
                                     RoutingState& state, RowLearner classes, RowLearner routers)
    : OnlineLearner(inputs),
      state_(&state),
      class_count_(static_cast<std::uint32_t>(model.vocabulary.labels.size())),
      candidate_count_(model.config.candidates),
      bound_factor_(static_cast<double>(model.retired.bernoulli)),
      classes_(classes),
      routers_(routers),
      bounds_(bounds_of(state, bound_factor_)) {}

void RecallTreeLearner::learn_example(const OnlineExample& example, Scratch& scratch,
                                      StepStats& totals) {
  train_candidates(route(example, scratch, totals), example, scratch, totals);
}

// Counts the example at every node it passes, and at the one where it declines to descend:
// otherwise a bound that is low by chance would never be updated.
NodeId RecallTreeLearner::route(const OnlineExample& example, Scratch& scratch, StepStats& totals) {
  const RoutingTree& tree = state_->tree;
  NodeId node = 0;
  count(node, example);
  while (!tree.is_leaf(node)) {
    const NodeId child = tree.child(node, train_router(node, example, scratch));
    totals.rows_scored += 2;
    const bool stops = bounds_[child] < bounds_[node];
    count(child, example);
    if (stops) break;
    node = child;
  }
  return node;
}

bool RecallTreeLearner::train_router(NodeId node, const OnlineExample& example, Scratch& scratch) {
  const RoutingTree& tree = state_->tree;
  const auto weight = static_cast<double>(example.weight);
  double added[2];
  for (const bool right : {false, true}) {
    const NodeId child = tree.child(node, right);
    added[right ? 1 : 0] = entropy_added(state_->counts[child],
                                         state_->histograms[child].count(example.label), weight);
  }
  const float before = routers_.score(tree.row(node), example.row);
  const auto importance = static_cast<float>(std::abs(added[0] - added[1]));
  routers_.learn(tree.row(node), example.row,
                 {before, added[1] <= added[0], importance, example.rate, example.input_steps},
                 scratch.steps);
  return goes_right(routers_.score(tree.row(node), example.row));
}

void RecallTreeLearner::count(NodeId node, const OnlineExample& example) {
  const auto weight = static_cast<double>(example.weight);
  state_->histograms[node].add(example.label, weight, candidate_count_);
  state_->counts[node] += weight;
  state_->seen[node] += weight;
  bounds_[node] = bound_of(*state_, node, bound_factor_);
}

void RecallTreeLearner::train_candidates(NodeId node, const OnlineExample& example,
                                         Scratch& scratch, StepStats& totals) {
  score_candidates(node, example.row);
  totals.rows_scored += candidates_.size();
  const CandidateLaw law(*state_, node, class_count_, scores_);
  const auto own = std::find(candidates_.begin(), candidates_.end(), example.label);
  const auto weight = static_cast<double>(example.weight);
  if (own == candidates_.end()) {
    totals.loss -= weight * law.of_other();
    return;
  }
  totals.loss -=
      weight * law.of_candidate(scores_[static_cast<std::size_t>(own - candidates_.begin())]);
  ++totals.covered;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : extra_ends_[i - 1];
    classes_.learn(candidates_[i], example.row,
                   {scores_[i], candidates_[i] == example.label, example.weight, example.rate,
                    example.input_steps, std::span(extras_).subspan(begin, extra_ends_[i] - begin)},
                   scratch.steps);
  }
}

void RecallTreeLearner::score_candidates(NodeId node, const RowView& row) {
  candidates_.clear();
  for (const ClassHistogram::Top& top : state_->histograms[node].top()) {
    candidates_.push_back(top.label);
  }
  scores_.resize(candidates_.size());
  classes_.score(candidates_, row, scores_.data());
  extras_.clear();
  extra_ends_.clear();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    for (NodeId above = node; above != 0; above = state_->tree.parent(above)) {
      ClassEntry* entry = state_->histograms[above].find(candidates_[i]);
      if (entry == nullptr) continue;
      scores_[i] += entry->value;
      extras_.push_back({&entry->value, &entry->square});
    }
    extra_ends_.push_back(extras_.size());
  }
}

RecallTreeClassifier::RecallTreeClassifier(const ModelData& model, RowScorer classes,
                                           RowScorer routers)
    : RowClassifier(static_cast<std::uint32_t>(model.vocabulary.labels.size())),
      state_(&routing_of(*model.method_state)),
      classes_(classes),
      routers_(routers),
      bounds_(bounds_of(*state_, static_cast<double>(model.retired.bernoulli))) {}

RecallTreeClassifier::Verdict RecallTreeClassifier::judge(const RowView& row) const {
  const RoutingTree& tree = state_->tree;
  Verdict verdict;
  while (!tree.is_leaf(verdict.node)) {
    const float margin = routers_.score(tree.row(verdict.node), row);
    const NodeId child = tree.child(verdict.node, goes_right(margin));
    ++verdict.scored;
    if (bounds_[child] < bounds_[verdict.node] || state_->counts[child] == 0.0) break;
    verdict.node = child;
  }
  for (const ClassHistogram::Top& top : state_->histograms[verdict.node].top()) {
    verdict.candidates.push_back(top.label);
  }
  verdict.scores.resize(verdict.candidates.size());
  classes_.score(verdict.candidates, row, verdict.scores.data());
  for (NodeId above = verdict.node; above != 0; above = tree.parent(above)) {
    for (std::size_t i = 0; i < verdict.candidates.size(); ++i) {
      const ClassEntry* entry = state_->histograms[above].find(verdict.candidates[i]);
      if (entry != nullptr) verdict.scores[i] += entry->value;
    }
  }
  verdict.scored += verdict.candidates.size();
  return verdict;
}

std::uint64_t RecallTreeClassifier::look(const RowView& row, std::uint32_t keep,
                                         std::vector<Candidate>& found) const {
  const Verdict verdict = judge(row);
  const CandidateLaw law(*state_, verdict.node, classes(), verdict.scores);
  const auto& candidates = verdict.candidates;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double score = law.of_candidate(verdict.scores[i]);
    found.push_back({candidates[i], static_cast<float>(score)});
  }
  if (candidates.size() >= keep) return verdict.scored;
  // All other classes have equal scores, so the lowest numbers win ties: add as many as can be
  // among the overall best.
  const auto others = static_cast<float>(law.of_other());
  auto next = candidates.begin();
  std::uint32_t added = 0;
  for (ClassId label = 0; label < classes() && added < keep; ++label) {
    if (next != candidates.end() && *next == label) {
      ++next;
      continue;
    }
    found.push_back({label, others});
    ++added;
  }
  return verdict.scored;
}

std::uint64_t RecallTreeClassifier::score(const RowView& row, std::span<const ClassId> labels,
                                          float* scores) const {
  const Verdict verdict = judge(row);
  const CandidateLaw law(*state_, verdict.node, classes(), verdict.scores);
  const auto& candidates = verdict.candidates;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto own = std::lower_bound(candidates.begin(), candidates.end(), labels[i]);
    const bool is_candidate = own != candidates.end() && *own == labels[i];
    const auto place = static_cast<std::size_t>(own - candidates.begin());
    scores[i] =
        static_cast<float>(is_candidate ? law.of_candidate(verdict.scores[place]) : law.of_other());
  }
  return verdict.scored;
}

}  // namespace cane
