// The table of methods: the objective of each method and every fact that option resolution,
// validation, memory estimates, learning rates, model files and documentation need. There is one
// training loop and one predictor; to add a method, add a row here, an enumerator in cane/config.h
// and the functor of its objective in core/objective. Code that applies to a family of methods
// (label against noises, online trees) must test these facts, never the name of a method.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "cane/config.h"
#include "core/objective/blackout.h"
#include "core/objective/candidates_vs_noises.h"
#include "core/objective/complementary_sum.h"
#include "core/objective/noise_contrast.h"
#include "core/objective/one_vs_each.h"
#include "core/objective/softmax.h"
#include "methods/rows.h"

namespace cane {

/// Objective of the methods that are not trained on a shortlist loss.
struct NoObjective {};

namespace rates {
// Loss when all classes have equal scores.
inline double log_of_classes(std::uint32_t classes) {
  return std::log(static_cast<double>(classes));
}
// One-vs-each loss when all scores are equal: it sums over all rivals instead of taking the log of
// a sum.
inline double sum_over_rivals(std::uint32_t classes) {
  return (static_cast<double>(classes) - 1.0) * std::log(2.0);
}
inline double same_for_all(std::uint32_t /*classes*/) {
  return 1.0;
}
// One-vs-each scales its sum to all K - 1 rivals, so the rate shrinks accordingly.
inline double shared_by_rivals(std::uint32_t classes) {
  constexpr double kFactor = 12.0;
  return std::min(1.0, kFactor / (static_cast<double>(classes) - 1.0));
}
}  // namespace rates

struct MethodRow {
  Method kind = Method::kAuto;
  const char* name = "";
  const char* summary = "";
  /// Whether with_objective() accepts this method; follows from the functor.
  bool has_objective = false;

  /// A selector finds the classes that compete with the label.
  bool has_candidates = false;
  /// Every class competes with every label.
  bool trains_all_classes = false;
  /// The noise law if the user names none; kProposal falls back to kUniform if the selector has no
  /// proposal. kAuto: the method draws no noises.
  NoiseKind noise = NoiseKind::kAuto;
  constexpr bool has_noises() const { return noise != NoiseKind::kAuto; }
  /// Noises are drawn with the label excluded. Otherwise log q of label and noises refers to the
  /// full law.
  bool excludes_label = false;
  /// The objective is only correct for uniform noise.
  bool takes_uniform_noise_only = false;

  /// Scores are learned as such, not only their differences: they come to normalise themselves.
  bool has_absolute_scores = false;
  /// The optimum is log p - log(noises * q), so log q must be added to obtain probabilities.
  bool learns_ratio_to_noise = false;

  FittingScorers scorers = FittingScorers::kFlat;
  /// Probabilities are products along the path of a tree, each node with its own normaliser.
  bool is_hierarchical = false;

  /// Trained one example at a time, with its own update rule.
  bool is_online_tree = false;
  /// An online tree that learns how to route examples and keeps counts at its nodes.
  bool learns_routing = false;
  /// With learned routing: nodes are added during training. If false, all exist from the start.
  bool grows_nodes = false;
  /// With learned routing: the frequent classes of a node are scored there, using a separate table.
  bool has_node_candidates = false;
  /// The tree over the classes must be binary.
  bool needs_binary_tree = false;

  /// If false, scores only rank the classes.
  bool has_probabilities = true;
  double (*chance_loss)(std::uint32_t classes) = rates::log_of_classes;
  /// Factor of the automatic SGD learning rate on class vectors.
  double (*rate_scale)(std::uint32_t classes) = rates::same_for_all;
  /// Automatic learning rate over the output of an encoder: the more classes an example updates,
  /// the smaller each step must be. Tuned on CLINC150 and on the paths of Debian's packages.
  float encoded_rate = 0.2F;
  /// The learners of src/device have it; if false, it is trained on the processor only.
  bool trains_on_device = false;
};

/// A row together with the functor of its objective.
template <typename Functor>
struct MethodEntry {
  using Objective = Functor;
  MethodRow row;
};

template <typename Functor>
constexpr MethodEntry<Functor> method_entry(MethodRow row) {
  row.has_objective = !std::is_same_v<Functor, NoObjective>;
  return {row};
}

inline constexpr std::tuple kMethodEntries = {
    method_entry<NoObjective>({.kind = Method::kAuto,
                               .name = "auto",
                               .summary = "chosen to fit the number of classes and the encoder"}),
    method_entry<CandidatesVsNoises>(
        {.kind = Method::kCane,
         .name = "cane",
         .summary = "the candidates of a search, and noises in place of all other classes",
         .has_candidates = true,
         .noise = NoiseKind::kProposal,
         .scorers = FittingScorers::kBoth,
         .trains_on_device = true}),
    method_entry<Softmax>({.kind = Method::kSoftmax,
                           .name = "softmax",
                           .summary = "all classes for every example",
                           .trains_all_classes = true,
                           .encoded_rate = 0.05F,
                           .trains_on_device = true}),
    method_entry<NoiseContrast>(
        {.kind = Method::kNce,
         .name = "nce",
         .summary = "noise-contrastive estimation: the label told from noises by their log-odds",
         .noise = NoiseKind::kUnigram,
         .has_absolute_scores = true}),
    method_entry<NegativeSampling>(
        {.kind = Method::kNeg,
         .name = "neg",
         .summary = "negative sampling: the label told from noises, not consistent",
         .noise = NoiseKind::kUnigram,
         .has_absolute_scores = true,
         .learns_ratio_to_noise = true}),
    method_entry<BlackOut>({.kind = Method::kBlackout,
                            .name = "blackout",
                            .summary = "BlackOut: a weighted softmax over the label and noises",
                            .noise = NoiseKind::kUnigram}),
    method_entry<OneVsEach>({.kind = Method::kOve,
                             .name = "ove",
                             .summary = "one-vs-each: a bound of the softmax, pair by pair",
                             .noise = NoiseKind::kUniform,
                             .excludes_label = true,
                             .takes_uniform_noise_only = true,
                             .chance_loss = rates::sum_over_rivals,
                             .rate_scale = rates::shared_by_rivals}),
    method_entry<ComplementarySum>(
        {.kind = Method::kCss,
         .name = "css",
         .summary = "complementary sum sampling: the softmax with an estimated normaliser",
         .noise = NoiseKind::kUniform,
         .excludes_label = true,
         .takes_uniform_noise_only = true}),
    method_entry<NoObjective>({.kind = Method::kHsm,
                               .name = "hsm",
                               .summary = "hierarchical softmax: a softmax at each node of a tree",
                               .scorers = FittingScorers::kPath,
                               .is_hierarchical = true,
                               .encoded_rate = 0.5F}),
    method_entry<NoObjective>({.kind = Method::kFilterTree,
                               .name = "filter-tree",
                               .summary = "a tournament of the classes in a binary tree",
                               .is_online_tree = true,
                               .needs_binary_tree = true,
                               .has_probabilities = false,
                               .encoded_rate = 0.1F}),
    method_entry<NoObjective>({.kind = Method::kLomTree,
                               .name = "lomtree",
                               .summary = "a tree that grows where it separates the classes",
                               .is_online_tree = true,
                               .learns_routing = true,
                               .grows_nodes = true,
                               .encoded_rate = 0.1F}),
    method_entry<NoObjective>({.kind = Method::kRecallTree,
                               .name = "recall-tree",
                               .summary = "a learned tree to a few candidates, which are scored",
                               .is_online_tree = true,
                               .learns_routing = true,
                               .has_node_candidates = true,
                               .encoded_rate = 0.1F})};

inline constexpr auto kMethods = std::apply(
    [](const auto&... entries) {
      return std::array<MethodRow, sizeof...(entries)>{entries.row...};
    },
    kMethodEntries);
static_assert(is_in_order(kMethods));

constexpr const MethodRow& row_of(Method method) {
  return row_at(kMethods, method);
}

}  // namespace cane
