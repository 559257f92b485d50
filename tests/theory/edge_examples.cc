#include "theory/edge_examples.h"

#include <algorithm>
#include <numeric>

#include "core/noise/uniform_noise.h"

namespace cane::theory {
namespace {

// What a number of an example is drawn for.
enum Choice : std::uint32_t { kNode, kLabel, kLabelIsCandidate };

}  // namespace

EdgeExamples::EdgeExamples(const ClassTree& tree, std::uint64_t seed)
    : tree_(tree),
      edge_random_(seed, RandomPurpose::kSynthetic),
      choice_random_(seed, RandomPurpose::kExamples),
      noise_random_(seed, RandomPurpose::kNoise),
      classes_below_(tree.node_count()) {
  for (ClassId k = 0; k < tree.class_count(); ++k) {
    classes_below_[0].push_back(k);
    for (NodeId node = tree.leaf_of(k); node != 0; node = tree.parent(node)) {
      classes_below_[node].push_back(k);
    }
  }
}

NodeId EdgeExamples::node_with(std::uint32_t least_classes, std::uint64_t example) const {
  std::vector<NodeId> nodes;
  for (NodeId node = 1; node < tree_.node_count(); ++node) {
    if (classes_below_[node].size() >= least_classes) nodes.push_back(node);
  }
  return nodes.empty() ? 0 : nodes[choice_random_.below(nodes.size(), example, kNode)];
}

std::vector<float> EdgeExamples::class_scores(std::uint64_t example) const {
  std::vector<double> sums(tree_.node_count(), 0.0);
  std::vector<float> scores(tree_.class_count());
  for (NodeId node = 1; node < tree_.node_count(); ++node) {
    sums[node] = sums[tree_.parent(node)] + edge_random_.normal(example, node);
    if (tree_.is_leaf(node)) scores[tree_.leaf_class(node)] = static_cast<float>(sums[node]);
  }
  return scores;
}

SelectedPaths EdgeExamples::select(std::uint64_t example, std::uint32_t candidates,
                                   std::uint32_t noises) const {
  const std::vector<float> scores = class_scores(example);
  const std::vector<ClassId>& classes =
      classes_below_[example % 2 == 0 ? 0 : node_with(candidates + 1, example)];
  // From here on a class is its place in `classes`, over which the noise law is uniform.
  const auto count = static_cast<std::uint32_t>(classes.size());
  std::vector<ClassId> places(count);
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::sort(places,
                    [&](ClassId a, ClassId b) { return scores[classes[a]] > scores[classes[b]]; });
  places.resize(candidates);
  std::vector<ClassId> excluded = places;
  std::ranges::sort(excluded);

  const UniformNoise law(count);
  const bool label_is_candidate = choice_random_.below(2, example, kLabelIsCandidate) == 0;
  std::vector<ClassId> drawn(label_is_candidate ? noises : 1);
  SelectedPaths selected;
  selected.log_q.resize(drawn.size());
  if (label_is_candidate) {
    selected.label_at =
        static_cast<std::uint32_t>(choice_random_.below(candidates, example, kLabel));
    law.sample(excluded, noise_random_, example, drawn, selected.log_q);
  } else {
    selected.label_at = candidates;
    drawn[0] = class_outside(choice_random_.below(count - candidates, example, kLabel), excluded);
    selected.log_q[0] = law.log_probability(drawn[0], excluded);
  }
  places.insert(places.end(), drawn.begin(), drawn.end());
  for (const ClassId place : places) {
    selected.classes.push_back(classes[place]);
    selected.scores.push_back(scores[classes[place]]);
  }
  return selected;
}

}  // namespace cane::theory
