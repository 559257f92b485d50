#include "engine/parts.h"

#include <cmath>

#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "linear/gradient/flat_gradient.h"
#include "linear/gradient/path_gradient.h"
#include "online/row_classifier.h"
#include "search/all_selector.h"
#include "search/beam_selector.h"
#include "search/exact_selector.h"
#include "search/frequency_selector.h"
#include "search/graph_selector.h"
#include "search/low_rank_proposal.h"
#include "search/tree_proposal.h"

namespace cane {
namespace {

std::unique_ptr<Selector> make_proposal(const ModelData& model, const WeightViews& weights,
                                        const ClassScorer& scorer) {
  const BlockLayout& projection = model.tables[kProjectionTable].layout;
  const BlockLayout& classes = model.tables[kProposalTable].layout;
  const WeightView projection_weights = weights[kProjectionTable];
  const WeightView class_weights = weights[kProposalTable];
  if (model.config.select == SelectorKind::kNarrow) {
    return std::make_unique<LowRankProposal>(scorer, projection, projection_weights,
                                             model.config.rank, classes, class_weights);
  }
  return std::make_unique<TreeProposal>(scorer, projection, projection_weights, model.config.rank,
                                        PathScorer(model.tree, classes, class_weights, true),
                                        class_weights);
}

}  // namespace

ObjectiveKind objective_of(Method method) {
  switch (method) {
    case Method::kSoftmax:
      return ObjectiveKind::kSoftmax;
    case Method::kNce:
      return ObjectiveKind::kNoiseContrast;
    case Method::kNeg:
      return ObjectiveKind::kNegativeSampling;
    case Method::kBlackout:
      return ObjectiveKind::kBlackOut;
    case Method::kOve:
      return ObjectiveKind::kOneVsEach;
    case Method::kCss:
      return ObjectiveKind::kComplementarySum;
    case Method::kAuto:
    case Method::kCane:
    case Method::kHsm:
    case Method::kFilterTree:
    case Method::kLomTree:
    case Method::kRecallTree:
      break;
  }
  return ObjectiveKind::kCandidatesVsNoises;
}

// One-vs-each sums over all rivals, the others are about the log-likelihood.
double chance_loss(Method method, std::uint32_t classes) {
  const auto all = static_cast<double>(classes);
  return method == Method::kOve ? (all - 1.0) * std::log(2.0) : std::log(all);
}

std::unique_ptr<Selector> make_training_selector(const ModelData& model, const WeightViews& weights,
                                                 const ClassScorer& scorer) {
  if (model.config.method == Method::kSoftmax) return std::make_unique<AllSelector>(scorer);
  if (model.config.method != Method::kCane) return nullptr;
  switch (model.config.select) {
    case SelectorKind::kNarrow:
    case SelectorKind::kTree:
      return make_proposal(model, weights, scorer);
    case SelectorKind::kFrequency:
      return std::make_unique<FrequencySelector>(static_cast<const TreeScorer&>(scorer));
    case SelectorKind::kGraph:
      return std::make_unique<GraphSelector>(static_cast<const FlatScorer&>(scorer));
    case SelectorKind::kExact:
      return std::make_unique<ExactSelector>(scorer);
    case SelectorKind::kAll:
      return std::make_unique<AllSelector>(scorer);
    case SelectorKind::kAuto:
    case SelectorKind::kBeam:
      break;
  }
  return std::make_unique<BeamSelector>(static_cast<const TreeScorer&>(scorer));
}

std::unique_ptr<NoiseSampler> make_noise(const ModelData& model, std::uint32_t classes) {
  switch (model.config.noise) {
    case NoiseKind::kUnigram:
      return std::make_unique<UnigramNoise>(model.class_counts, model.config.noise_power);
    case NoiseKind::kProposal:
    case NoiseKind::kAuto:
    case NoiseKind::kUniform:
      break;
  }
  return std::make_unique<UniformNoise>(classes);
}

std::unique_ptr<ClassGradient> make_gradient(const ModelData& model) {
  const BlockLayout& layout = model.tables[kClassTable].layout;
  if (model.config.scorer == ScorerKind::kPath) {
    return std::make_unique<PathGradient>(model.tree, layout);
  }
  return std::make_unique<FlatGradient>(layout);
}

std::unique_ptr<Selector> make_predicting_selector(const ModelData& model,
                                                   const WeightViews& weights,
                                                   const ClassScorer& scorer) {
  if (is_online_tree(model.config)) {
    return std::make_unique<OnlineSelector>(static_cast<const OnlineScorer&>(scorer));
  }
  if (uses_proposal(model.config)) return make_proposal(model, weights, scorer);
  const bool is_cane = model.config.method == Method::kCane;
  if (is_cane && model.config.select == SelectorKind::kGraph) {
    auto selector = std::make_unique<GraphSelector>(static_cast<const FlatScorer&>(scorer));
    selector->refresh(nullptr);
    return selector;
  }
  const bool exhaustive = is_cane && (model.config.select == SelectorKind::kExact ||
                                      model.config.select == SelectorKind::kAll);
  if (model.config.scorer == ScorerKind::kPath && !exhaustive) {
    return std::make_unique<BeamSelector>(static_cast<const TreeScorer&>(scorer));
  }
  return std::make_unique<ExactSelector>(scorer);
}

bool is_matrix_product(const ModelData& model) {
  return model.config.method == Method::kSoftmax && model.config.optimizer == OptimizerKind::kSgd &&
         model.config.encoder == EncoderKind::kIdentity &&
         model.config.scorer == ScorerKind::kFlat &&
         model.tables[kClassTable].layout.is_row_major();
}

}  // namespace cane
