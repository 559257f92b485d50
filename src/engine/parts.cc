#include "engine/parts.h"

#include <cmath>
#include <stdexcept>

#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "linear/gradient/flat_gradient.h"
#include "linear/gradient/path_gradient.h"
#include "search/beam_search.h"
#include "search/exact_selector.h"
#include "search/frequency_selector.h"
#include "search/graph_selector.h"
#include "search/low_rank_proposal.h"
#include "search/tree_proposal.h"

namespace cane {

std::unique_ptr<Proposal> make_proposal(const ModelData& model, const WeightViews& weights,
                                        const ModelScorer& scorer) {
  const Projection projection = {.layout = &model.tables[kProjectionTable].layout,
                                 .weights = weights[kProjectionTable],
                                 .rank = model.config.rank};
  const BlockLayout& classes = model.tables[kProposalTable].layout;
  const WeightView class_weights = weights[kProposalTable];
  if (model.config.select == SelectorKind::kNarrow) {
    return std::make_unique<LowRankProposal>(
        scorer.any(), projection, FlatScorer(scorer.any().classes(), classes, class_weights));
  }
  return std::make_unique<TreeProposal>(scorer.any(), projection,
                                        PathScorer(model.tree, classes, class_weights, true),
                                        class_weights);
}

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

std::unique_ptr<Selector> make_training_selector(const ModelData& model,
                                                 const ModelScorer& scorer) {
  if (model.config.method == Method::kSoftmax) return std::make_unique<AllSelector>(scorer.any());
  if (model.config.method != Method::kCane) return nullptr;
  switch (model.config.select) {
    case SelectorKind::kFrequency:
      return std::make_unique<FrequencySelector>(scorer.tree());
    case SelectorKind::kGraph:
      return std::make_unique<GraphSelector>(scorer.flat());
    case SelectorKind::kExact:
      return std::make_unique<ExactSelector>(scorer.any());
    case SelectorKind::kAll:
      return std::make_unique<AllSelector>(scorer.any());
    case SelectorKind::kBeam:
      return std::make_unique<BeamSelector>(scorer.tree());
    case SelectorKind::kNarrow:
    case SelectorKind::kTree:
    case SelectorKind::kAuto:
      break;
  }
  throw std::logic_error("the options name no selector of training");
}

std::unique_ptr<FixedNoise> make_noise(const ModelData& model, std::uint32_t classes) {
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
                                                   const ModelScorer& scorer) {
  if (is_online_tree(model.config)) return std::make_unique<OnlineSelector>(scorer.online());
  if (uses_proposal(model.config)) return make_proposal(model, weights, scorer);
  const bool is_cane = model.config.method == Method::kCane;
  if (is_cane && model.config.select == SelectorKind::kGraph) {
    auto selector = std::make_unique<GraphSelector>(scorer.flat());
    selector->refresh(nullptr);
    return selector;
  }
  const bool exhaustive = is_cane && (model.config.select == SelectorKind::kExact ||
                                      model.config.select == SelectorKind::kAll);
  if (model.config.scorer == ScorerKind::kPath && !exhaustive) {
    return std::make_unique<BeamSelector>(scorer.tree());
  }
  return std::make_unique<ExactSelector>(scorer.any());
}

bool is_matrix_product(const ModelData& model) {
  return model.config.method == Method::kSoftmax && model.config.optimizer == OptimizerKind::kSgd &&
         model.config.encoder == EncoderKind::kIdentity &&
         model.config.scorer == ScorerKind::kFlat &&
         model.tables[kClassTable].layout.is_row_major();
}

}  // namespace cane
