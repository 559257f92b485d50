#include "engine/method.h"

#include <algorithm>

#include "engine/parts.h"
#include "linear/scorers/tree_scorer.h"
#include "online/make_online.h"
#include "search/remembering_selector.h"
#include "train/steps/matrix_step.h"
#include "train/steps/path_step.h"
#include "train/steps/shortlist_step.h"

namespace cane {
namespace {

// Examples that share a matrix product.
constexpr std::size_t kMatrixExamples = 32;

PathScorer path_scorer(const ModelData& model, const WeightViews& weights) {
  return {model.tree, model.tables[kClassTable].layout, weights[kClassTable],
          model.config.method == Method::kHsm};
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
