#include "search/tree_proposal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/simd/softmax_kernels.h"
#include "search/beam_search.h"
#include "search/outside_tree.h"
#include "search/proposal.h"

namespace cane {
namespace {

// If a node of a prior already gives nearly all probability to the label's child, its update is
// skipped, as in a hierarchical softmax.
constexpr float kSure = 1.0F - 1e-4F;

// With less mass than this outside the candidates of a prior, noises are drawn less often, in
// proportion to it; never less often than the second number, which bounds their weight.
constexpr float kMassOfNoises = 0.05F;
constexpr float kMinDraws = 0.05F;

class TreeWorker final : public ProposalWorker {
 public:
  TreeWorker(const ClassScorer& scorer, const Projection& projection, const PathScorer& paths,
             const PriorScorer* prior, float margin)
      : ProposalWorker(scorer, projection), search_(paths), prior_(prior), margin_(margin) {}

  std::uint32_t num_to_learn() const override {
    return static_cast<std::uint32_t>(projected().size());
  }
  std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                      float* scores) override;
  float learn(std::uint32_t example, ClassId label, float scale, GradientParts& classes,
              float* inputs) override;

 private:
  std::uint64_t score_proposed(std::span<const RowView> rows, const ClassLists& proposed,
                               float* scores) override;
  std::uint64_t propose(std::uint32_t width, ClassLists& proposed) override;
  float draw_probability(std::uint32_t example, std::span<const ClassId> excluded) override;
  bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) override;
  Draw draw_outside(std::uint32_t example, double u) override;
  double probability_outside(std::uint32_t example, ClassId class_id) override;
  void probabilities(std::uint32_t example, std::uint32_t depth, NodeId node, float* children);

  BeamSearch search_;
  const PriorScorer* prior_;  // null: not part of the scores
  float margin_;
  Selection found_;
  OutsideTree outside_;
  std::vector<float> children_;
  std::vector<float> log_prior_;
};

std::uint64_t TreeWorker::propose(std::uint32_t width, ClassLists& proposed) {
  search_.search(projected(), width, width, found_, margin_);
  for (std::size_t e = 0; e < projected().size(); ++e) {
    for (const Candidate& candidate : found_.of(e)) {
      proposed.classes.push_back(candidate.class_id);
    }
    proposed.end_list();
  }
  return found_.rows_scored;
}

std::uint64_t TreeWorker::score_proposed(std::span<const RowView> rows, const ClassLists& proposed,
                                         float* scores) {
  if (prior_ == nullptr) return ProposalWorker::score_proposed(rows, proposed, scores);
  const std::uint64_t rows_scored = prior_->rows().score(rows, proposed, scratch(), scores);
  for (std::size_t i = 0; i < proposed.classes.size(); ++i) {
    scores[i] += found_.candidates[i].score;
  }
  return rows_scored;
}

std::uint64_t TreeWorker::score(std::span<const RowView> rows, const ClassLists& lists,
                                float* scores) {
  if (prior_ == nullptr) return ProposalWorker::score(rows, lists, scores);
  const std::uint64_t rows_scored = prior_->rows().score(rows, lists, scratch(), scores);
  log_prior_.resize(lists.classes.size());
  const std::uint64_t nodes_scored = search_.score_classes(rows, lists, log_prior_.data());
  for (std::size_t i = 0; i < log_prior_.size(); ++i) scores[i] += log_prior_[i];
  return rows_scored + nodes_scored;
}

// The probability of every child of a node, given the node.
void TreeWorker::probabilities(std::uint32_t example, std::uint32_t depth, NodeId node,
                               float* children) {
  const PathScorer& paths = search_.scorer();
  const std::uint32_t count = paths.tree().child_count(node);
  float base = 0.0F;
  const float* scores = search_.visited_children(example, depth, node, base);
  if (scores == nullptr) {
    paths.score_children(projected()[example], node, children);
    scores = children;
  }
  exp_and_sum(scores, count, base, children);
}

// Where the prior is sure of the candidates, noises change next to nothing and cost as much as all
// the rest.
float TreeWorker::draw_probability(std::uint32_t example, std::span<const ClassId> excluded) {
  if (prior_ == nullptr || projected().empty()) return 1.0F;
  float outside = 1.0F;
  for (const Candidate& candidate : found_.of(example)) {
    const bool is_inside = std::ranges::binary_search(excluded, candidate.class_id);
    if (is_inside) outside -= std::exp(candidate.score);
  }
  return std::clamp(outside / kMassOfNoises, kMinDraws, 1.0F);
}

bool TreeWorker::prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) {
  children_.resize(search_.scorer().slot());
  outside_.prepare(search_.scorer().tree(), search_.scorer().slot(), excluded,
                   [&](std::uint32_t depth, NodeId node, float* children) {
                     probabilities(example, depth, node, children);
                   });
  return outside_.mass() > kMinOutsideMass;
}

ProposalWorker::Draw TreeWorker::draw_outside(std::uint32_t example, double u) {
  const ClassTree& tree = search_.scorer().tree();
  double probability = 1.0;
  NodeId node = 0;
  for (std::uint32_t depth = 0; !tree.is_leaf(node); ++depth) {
    double mass = 0.0;
    const std::uint32_t count = tree.child_count(node);
    const float* children = outside_.left(node, mass);
    if (children == nullptr) {
      probabilities(example, depth, node, children_.data());
      children = children_.data();
      for (std::uint32_t c = 0; c < count; ++c) mass += static_cast<double>(children[c]);
    }
    // Given the chosen child, the rescaled u is again uniform.
    double rest = u * mass;
    std::uint32_t chosen = count;
    for (std::uint32_t c = 0; c < count; ++c) {
      if (children[c] == 0.0F) continue;
      chosen = c;
      if (rest < static_cast<double>(children[c])) break;
      rest -= static_cast<double>(children[c]);
    }
    const auto share = static_cast<double>(children[chosen]);
    u = std::min(rest / share, 1.0 - 1e-9);
    probability *= share / mass;
    node = tree.first_child(node) + chosen;
  }
  return {tree.leaf_class(node), probability};
}

double TreeWorker::probability_outside(std::uint32_t example, ClassId class_id) {
  const ClassTree& tree = search_.scorer().tree();
  std::uint32_t depth = 0;
  for (NodeId node = tree.leaf_of(class_id); node != 0; node = tree.parent(node)) ++depth;
  double probability = 1.0;
  for (NodeId node = tree.leaf_of(class_id); node != 0;) {
    const NodeId parent = tree.parent(node);
    double mass = 0.0;
    const float* children = outside_.left(parent, mass);
    --depth;
    if (children == nullptr) {
      probabilities(example, depth, parent, children_.data());
      children = children_.data();
      for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
        mass += static_cast<double>(children[c]);
      }
    }
    const auto share = static_cast<double>(children[node - tree.first_child(parent)]);
    if (share == 0.0) return 0.0;  // the rest of the node underflowed: mass is 0 too
    probability *= share / mass;
    node = parent;
  }
  return probability;
}

float TreeWorker::learn(std::uint32_t example, ClassId label, float scale, GradientParts& classes,
                        float* inputs) {
  const PathScorer& paths = search_.scorer();
  const ClassTree& tree = paths.tree();
  children_.resize(paths.slot());
  std::uint32_t depth = 0;
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) ++depth;
  float loss = 0.0F;
  for (NodeId node = tree.leaf_of(label); node != 0;) {
    const NodeId parent = tree.parent(node);
    --depth;
    probabilities(example, depth, parent, children_.data());
    const std::uint32_t child = node - tree.first_child(parent);
    node = parent;
    loss -= std::log(std::max(children_[child], std::numeric_limits<float>::min()));
    if (prior_ != nullptr && children_[child] > kSure) continue;
    float* steps = classes.add_part(example, parent);
    for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
      steps[c] = -scale * children_[c];
    }
    steps[child] += scale;
    if (inputs == nullptr) continue;
    const BackTask task = {steps, inputs};
    back_block(paths.weights().floats() + paths.layout().offset(parent),
               paths.layout().shape(parent), std::span(&task, 1));
  }
  return loss;
}

}  // namespace

std::unique_ptr<ProposalWorker> TreeProposal::make_proposal_worker() const {
  return std::make_unique<TreeWorker>(scorer_, projection_, paths_, prior_, margin_);
}

}  // namespace cane
