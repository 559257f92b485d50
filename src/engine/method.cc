#include "engine/method.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/parts.h"
#include "methods/step_work.h"
#include "online/make_online.h"
#include "train/steps/path_step.h"
#include "train/steps/shortlist_step.h"

namespace cane {
namespace {

// In training a prior proposes no class that is a hundred times less probable than its best: where
// it is sure, the search visits few nodes, and the noises stand for the rest.
constexpr float kPriorMargin = 4.6F;

// Over an encoder, examples with shorter steps are thinned where these are differences of
// probabilities. On paths of files, over two epochs, the accuracy of hsm and cane is the same with
// 0, 0.05, 0.1, 0.2 and 0.4; nce loses a little on next words.
constexpr float kLeastStep = 0.2F;

// An exact normaliser is worth as much work as this many searches.
constexpr double kFewSearches = 4.0;
// Features of a sparse example; a model does not know how many its examples have.
constexpr double kSparseValues = 32.0;

PathScorer path_scorer(const ModelData& model, const WeightViews& weights) {
  return {model.tree, model.tables[kClassTable].layout, weights[kClassTable],
          row_of(model.config.method).is_hierarchical};
}

// Makes the step worker of a thread. Everything the method points to must outlive the result.
std::function<std::unique_ptr<StepWorker>()> shortlist_steps(const ModelData& model,
                                                             const DatasetView& data,
                                                             const EncoderParts& encoder,
                                                             const TrainingMethod& method) {
  const TrainConfig& config = model.config;
  const ShortlistParts parts = {.data = &data,
                                .encoder = encoder,
                                .scorer = &method.scorer->any(),
                                .exclude_label = row_of(config.method).excludes_label,
                                .beam = config.beam,
                                .candidates = config.candidates,
                                .noises = config.noises,
                                .pools_noises = config.noise_terms == NoiseTerms::kPooled};
  return [&model, parts, proposal = method.proposal.get(), selector = method.selector.get(),
          memory = method.memory.get(), noise = method.noise.get()] {
    ShortlistSources sources = {.selector = nullptr, .noise = noise};
    std::optional<ProposalStep> proposal_step;
    if (proposal != nullptr) {
      auto worker = proposal->make_proposal_worker();
      proposal_step = {.proposal = worker.get(),
                       .projection = std::nullopt,
                       .classes = GradientParts(model.tables[proposal_table(model.config)].layout)};
      if (has_projection(model.config)) {
        proposal_step->projection.emplace(model.tables[kProjectionTable].layout);
      }
      if (row_of(model.config.noise).is_proposal) sources.noise = worker.get();
      sources.selector = std::move(worker);
    } else if (selector != nullptr) {
      sources.selector = selector->make_worker();
    }
    if (memory != nullptr) sources.selector = memory->make_worker(std::move(sources.selector));
    return std::make_unique<ShortlistStep>(parts, std::move(sources), model.config.method,
                                           model.config.clip, make_gradient(model),
                                           std::move(proposal_step));
  };
}

void add_team(const ModelData& model, const DatasetView& data, const EncoderParts& encoder,
              TrainState& state, TrainingMethod& method) {
  assert(whitens(model.config, data.density()) == (state.whitening != nullptr));
  const auto learned = [&](std::size_t table) -> LearnedTable {
    return {&(*method.parts.tables)[table].layout, state.weights[table].data(),
            state.optimizers[table].get(), &state.rate_scales[table]};
  };
  TeamParts& team = method.parts.team.emplace();
  team = {.data = &data,
          .encoder = encoder,
          .classes = learned(kClassTable),
          .layers = {},
          .learns_encoder_bias = row_of(model.config.encoder).has_hidden_layers,
          .law = nullptr,
          .list = make_list_rules(model),
          .clip = model.config.clip,
          .l2 = model.config.l2,
          .seed = model.config.seed,
          .whitening = state.whitening.get()};
  team.encoder.least_step = 0.0F;  // the steps of an example are not looked at one by one
  for (std::size_t layer = 0; layer < encoder_layers(model.config); ++layer) {
    team.layers.push_back(learned(encoder.first_table + layer));
  }
  method.slot_law = std::make_unique<SlotLaw>(make_slot_law(model, team.list));
  team.law = method.slot_law.get();
}

}  // namespace

float least_step(const TrainConfig& config) {
  const MethodRow& row = row_of(config.method);
  const bool gives_probabilities = row.has_candidates || row.is_hierarchical;
  // Weight decay is applied with every step, so none may be left out.
  return gives_probabilities && config.l2 == 0.0F ? kLeastStep : 0.0F;
}

ModelScorer make_scorer(const ModelData& model, const WeightViews& weights) {
  if (is_online_tree(model.config)) return ModelScorer(make_online_scorer(model, weights));
  if (has_path_scorer(model.config)) {
    return ModelScorer(std::make_unique<TreeScorer>(path_scorer(model, weights)));
  }
  const FlatScorer rows(static_cast<std::uint32_t>(model.vocabulary.labels.size()),
                        model.tables[kClassTable].layout, weights[kClassTable]);
  if (!has_prior(model.config)) return ModelScorer(std::make_unique<FlatScorer>(rows));
  const std::size_t table = proposal_table(model.config);
  const PathScorer paths(model.tree, model.tables[table].layout, weights[table], true);
  return ModelScorer(std::make_unique<PriorScorer>(rows, paths));
}

BatchPredictor make_predictor(const ModelData& model, const WeightViews& weights) {
  ModelScorer scorer = make_scorer(model, weights);
  auto selector = make_predicting_selector(model, weights, scorer);
  CalibrationParts calibration;
  if (!model.calibration.is_none()) calibration = {&model.calibration, model.class_counts};
  return {make_encoder(model.config, model.tables, weights), std::move(scorer).take(),
          std::move(selector), calibration};
}

Probability resolve_probability(const ModelData& model, Probability asked) {
  if (asked != Probability::kAuto) return asked;
  if (!row_of(model.config.method).has_probabilities) return Probability::kNone;
  DataFacts facts;
  facts.classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  facts.dimension = model.vocabulary.dimension;
  facts.density = model.flat_width == kRowWidth
                      ? 1.0
                      : std::min(1.0, kSparseValues / std::max(double(facts.dimension), 1.0));
  const bool is_cheap =
      normalizer_work(model.config, facts) <= kFewSearches * prediction_work(model.config, facts);
  return is_cheap ? Probability::kExact : Probability::kEstimate;
}

SearchWidths search_widths(const ModelData& model, std::uint32_t asked) {
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  const TrainConfig& config = model.config;
  const bool searches = finds_candidates(config);
  const MethodRow& method = row_of(config.method);
  SearchWidths widths;
  widths.beam = std::min(asked > 0 ? asked : config.beam, classes);
  // If the user set the beam, all of it is kept as candidates.
  widths.candidates = searches && asked == 0 ? std::min(config.candidates, classes) : widths.beam;
  widths.covers_all = searches ? row_of(config.select).takes_all_classes
                               : !method.is_hierarchical && !method.is_online_tree;
  return widths;
}

TrainingMethod make_training_method(const ModelData& model, const DatasetView& data,
                                    TrainState& state, const ShardTables* shards,
                                    Communicator* ranks) {
  const TrainConfig& config = model.config;
  const WeightViews weights = views_of(state.weights);
  TrainingMethod method;
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  const std::vector<ParameterTable>& tables = shards != nullptr ? shards->tables : model.tables;
  method.parts.tables = &tables;
  EncoderParts encoder;
  method.encoder = make_encoder(config, tables, weights);
  if (method.encoder != nullptr) {
    const auto scoring = [&](std::size_t table) -> ScoringTable {
      return {&tables[table].layout, weights[table].floats()};
    };
    encoder = {.encoder = method.encoder.get(),
               .first_table = model.tables.size() - method.encoder->layers(),
               .seed = config.seed,
               .least_step = least_step(config),
               .classes = scoring(kClassTable),
               .proposal = {}};
    if (has_prior(config)) encoder.proposal = scoring(proposal_table(config));
  }
  if (is_online_tree(config)) {
    method.parts.make_example_worker = online_learners(model, data, encoder, state);
    return method;
  }
  if (trains_by_team(model)) {
    add_team(model, data, encoder, state, method);
    if (shards != nullptr) {
      method.parts.team->part = &shards->part;
      method.parts.team->ranks = ranks;
    }
    return method;
  }
  method.scorer = make_scorer(model, weights);
  if (row_of(config.method).is_hierarchical) {
    method.parts.make_worker = [&data, &config, encoder, scorer = path_scorer(model, weights)] {
      return std::make_unique<PathStep>(data, encoder, scorer, config.clip);
    };
    return method;
  }
  if (uses_proposal(config)) {
    method.proposal = make_proposal(model, weights, *method.scorer, kPriorMargin);
  } else {
    method.selector = make_training_selector(model, *method.scorer, data, state);
  }
  if (config.reuse > 1) {
    method.memory = std::make_unique<CandidateMemory>(data.size(), config.beam, config.reuse);
  }
  method.noise = make_noise(model, classes);
  if (method.selector != nullptr && method.selector->needs_refresh()) {
    method.parts.refreshed = method.selector.get();
  }
  method.parts.make_worker = shortlist_steps(model, data, encoder, method);
  return method;
}

}  // namespace cane
