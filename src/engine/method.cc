#include "engine/method.h"

#include <cmath>

#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "linear/gradient/flat_gradient.h"
#include "linear/gradient/path_gradient.h"
#include "online/make_online.h"
#include "search/all_selector.h"
#include "search/beam_selector.h"
#include "search/exact_selector.h"
#include "search/frequency_selector.h"
#include "search/graph_selector.h"
#include "search/low_rank_proposal.h"
#include "search/remembering_selector.h"
#include "search/tree_proposal.h"
#include "train/steps/matrix_step.h"
#include "train/steps/path_step.h"
#include "train/steps/shortlist_step.h"

namespace cane {
namespace {

// Examples that share a matrix product.
constexpr std::size_t kMatrixExamples = 32;

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

// Of equal scores. One-vs-each sums over all rivals, the others are about the log-likelihood.
double chance_loss(Method method, std::uint32_t classes) {
  const auto all = static_cast<double>(classes);
  return method == Method::kOve ? (all - 1.0) * std::log(2.0) : std::log(all);
}

PathScorer path_scorer(const ModelData& model, const WeightViews& weights) {
  return {model.tree, model.tables[kClassTable].layout, weights[kClassTable],
          model.config.method == Method::kHsm};
}

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

// A softmax over contiguous rows is two matrix products; other optimisers go class by class.
bool is_matrix_product(const ModelData& model) {
  return model.config.method == Method::kSoftmax && model.config.optimizer == OptimizerKind::kSgd &&
         model.config.encoder == EncoderKind::kIdentity &&
         model.config.scorer == ScorerKind::kFlat &&
         model.tables[kClassTable].layout.is_row_major();
}

}  // namespace

std::unique_ptr<ClassScorer> make_scorer(const ModelData& model, const WeightViews& weights) {
  if (is_online_tree(model.config)) return make_online_scorer(model, weights);
  if (model.config.scorer == ScorerKind::kPath) {
    return std::make_unique<TreeScorer>(path_scorer(model, weights));
  }
  return std::make_unique<FlatScorer>(static_cast<std::uint32_t>(model.vocabulary.labels.size()),
                                      model.tables[kClassTable].layout, weights[kClassTable]);
}

BatchPredictor make_predictor(const ModelData& model, const WeightViews& weights) {
  auto scorer = make_scorer(model, weights);
  auto selector = make_predicting_selector(model, weights, *scorer);
  return {Encoder(model.config, model.tables, weights), std::move(scorer), std::move(selector)};
}

SearchWidths search_widths(const ModelData& model, std::uint32_t asked) {
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  const TrainConfig& config = model.config;
  const bool is_cane = config.method == Method::kCane;
  SearchWidths widths;
  widths.beam = std::min(asked > 0 ? asked : config.beam, classes);
  // A beam of the user's own is about its width.
  widths.candidates = is_cane && asked == 0 ? std::min(config.candidates, classes) : widths.beam;
  widths.covers_all = is_cane ? config.select == SelectorKind::kAll
                              : config.method != Method::kHsm && !is_online_tree(config);
  return widths;
}

TrainingMethod make_training_method(const ModelData& model, const DatasetView& data,
                                    TrainState& state) {
  const TrainConfig& config = model.config;
  const WeightViews weights = views_of(state.weights);
  TrainingMethod method;
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  method.parts.tables = &model.tables;
  method.parts.classes = classes;
  method.parts.chance_loss = chance_loss(config.method, classes);
  EncoderParts encoder;
  if (config.encoder != EncoderKind::kIdentity) {
    method.encoder = std::make_unique<Encoder>(config, model.tables, weights);
    encoder = {method.encoder.get(), model.tables.size() - method.encoder->layers(), config.seed,
               &model.tables[kClassTable].layout, weights[kClassTable].floats()};
  }
  if (is_online_tree(config)) {
    method.online = make_online_learner(model, data, encoder, state);
    method.parts.online = method.online.get();
    return method;
  }
  method.scorer = make_scorer(model, weights);
  if (config.method == Method::kHsm) {
    method.parts.make_worker = [&data, &config, encoder, scorer = path_scorer(model, weights)] {
      return std::make_unique<PathStep>(data, encoder, scorer, config.clip);
    };
    return method;
  }
  if (is_matrix_product(model)) {
    method.parts.synchronous = true;
    method.parts.worker_examples = kMatrixExamples;
    method.parts.make_worker = [&data, &config,
                                scorer = static_cast<const FlatScorer&>(*method.scorer)] {
      return std::make_unique<MatrixStep>(data, scorer, config.clip);
    };
    return method;
  }
  method.selector = make_training_selector(model, weights, *method.scorer);
  if (config.reuse > 1) {
    method.selector = std::make_unique<RememberingSelector>(std::move(method.selector), data.size(),
                                                            config.beam, config.reuse);
  }
  method.noise = make_noise(model, classes);
  if (method.selector != nullptr && method.selector->needs_refresh()) {
    method.parts.refreshed = method.selector.get();
  }
  const ObjectiveKind objective = objective_of(config.method);
  const ShortlistParts shortlist = {&data,
                                    encoder,
                                    method.scorer.get(),
                                    method.selector.get(),
                                    method.noise.get(),
                                    config.noise == NoiseKind::kProposal,
                                    excludes_label(objective),
                                    config.beam,
                                    config.candidates,
                                    config.noises};
  method.parts.make_worker = [&model, shortlist, objective] {
    std::vector<const BlockLayout*> proposal_tables;
    if (uses_proposal(model.config)) {
      proposal_tables = {&model.tables[kProjectionTable].layout,
                         &model.tables[kProposalTable].layout};
    }
    return std::make_unique<ShortlistStep>(shortlist, objective, model.config.clip,
                                           make_gradient(model), proposal_tables);
  };
  return method;
}

}  // namespace cane
