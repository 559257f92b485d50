#include "search/tree_proposal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd/softmax_kernels.h"

namespace cane {

std::uint64_t TreeProposal::propose(std::uint32_t width, Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  search_.search(own.projected, width, width, own.beam, own.found);
  for (std::size_t e = 0; e < own.projected.size(); ++e) {
    for (const Candidate& candidate : own.found.of(e)) {
      own.proposed.classes.push_back(candidate.label);
    }
    own.proposed.end_list();
  }
  return own.found.rows_scored;
}

// The probability of every child of a node, given the node.
void TreeProposal::probabilities(std::uint32_t example, std::uint32_t depth, NodeId node,
                                 Workspace& workspace, float* children) const {
  const PathScorer& paths = search_.scorer();
  const std::uint32_t count = paths.tree().child_count(node);
  float base = 0.0F;
  const float* scores =
      BeamSearch::visited_children(example, depth, node, paths.slot(), workspace.beam, base);
  if (scores == nullptr) {
    paths.score_children(workspace.projected[example], node, children);
    scores = children;
  }
  exp_and_sum(scores, count, base, children);
}

bool TreeProposal::prepare_outside(std::uint32_t example, std::span<const ClassId> excluded,
                                   Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  own.children.resize(search_.scorer().slot());
  own.outside.prepare(search_.scorer().tree(), search_.scorer().slot(), excluded,
                      [&](std::uint32_t depth, NodeId node, float* children) {
                        probabilities(example, depth, node, own, children);
                      });
  return own.outside.mass() > kMinMass;
}

Proposal::Draw TreeProposal::draw_outside(std::uint32_t example, double u,
                                          Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  const ClassTree& tree = search_.scorer().tree();
  double probability = 1.0;
  NodeId node = 0;
  for (std::uint32_t depth = 0; !tree.is_leaf(node); ++depth) {
    double mass = 0.0;
    const std::uint32_t count = tree.child_count(node);
    const float* children = own.outside.left(node, mass);
    if (children == nullptr) {
      probabilities(example, depth, node, own, own.children.data());
      children = own.children.data();
      for (std::uint32_t c = 0; c < count; ++c) mass += static_cast<double>(children[c]);
    }
    // What is left of u after the choice of a child is uniform again.
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

double TreeProposal::probability_outside(std::uint32_t example, ClassId label,
                                         Proposal::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  const ClassTree& tree = search_.scorer().tree();
  std::uint32_t depth = 0;
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) ++depth;
  double probability = 1.0;
  for (NodeId node = tree.leaf_of(label); node != 0;) {
    const NodeId parent = tree.parent(node);
    double mass = 0.0;
    const float* children = own.outside.left(parent, mass);
    --depth;
    if (children == nullptr) {
      probabilities(example, depth, parent, own, own.children.data());
      children = own.children.data();
      for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
        mass += static_cast<double>(children[c]);
      }
    }
    const auto share = static_cast<double>(children[node - tree.first_child(parent)]);
    if (share == 0.0) return 0.0;  // where all that is left of a node underflows, mass is 0 too
    probability *= share / mass;
    node = parent;
  }
  return probability;
}

float TreeProposal::learn_classes(std::uint32_t example, ClassId label, float scale,
                                  Proposal::Workspace& workspace, GradientParts& classes,
                                  float* inputs) const {
  auto& own = static_cast<Workspace&>(workspace);
  const PathScorer& paths = search_.scorer();
  const ClassTree& tree = paths.tree();
  own.children.resize(paths.slot());
  std::uint32_t depth = 0;
  for (NodeId node = tree.leaf_of(label); node != 0; node = tree.parent(node)) ++depth;
  float loss = 0.0F;
  for (NodeId node = tree.leaf_of(label); node != 0;) {
    const NodeId parent = tree.parent(node);
    --depth;
    probabilities(example, depth, parent, own, own.children.data());
    const std::uint32_t child = node - tree.first_child(parent);
    float* steps = classes.add_part(example, parent);
    for (std::uint32_t c = 0; c < tree.child_count(parent); ++c) {
      steps[c] = -scale * own.children[c];
    }
    steps[child] += scale;
    loss -= std::log(std::max(own.children[child], std::numeric_limits<float>::min()));
    const BackTask task = {steps, inputs};
    back_block(class_weights_.floats() + paths.layout().offset(parent),
               paths.layout().shape(parent), std::span(&task, 1));
    node = parent;
  }
  return loss;
}

}  // namespace cane
