#include "engine/parts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "linear/gradient/class_gradients.h"
#include "online/make_online.h"
#include "search/beam_search.h"
#include "search/centroid_selector.h"
#include "search/exact_selector.h"
#include "search/low_rank_proposal.h"
#include "search/tree_proposal.h"

namespace cane {
namespace {

template <typename Value>
SearchLevels<Value> levels_of(const ModelData& model, Value* table) {
  const BlockLayout& layout = model.tables[kLevelTable].layout;
  return {std::span(table + layout.offset(0), std::size_t{kTableLevels}),
          std::span(table + layout.offset(1), std::size_t{kTableLevels})};
}

// A prior predicts as many classes as it is asked for.
constexpr float kAllAnswers = TreeProposal::kNoMargin;

}  // namespace
std::unique_ptr<Proposal> make_proposal(const ModelData& model, const WeightViews& weights,
                                        const ModelScorer& scorer, float prior_margin) {
  if (has_prior(model.config)) return std::make_unique<TreeProposal>(scorer.prior(), prior_margin);
  const Projection projection = {.layout = &model.tables[kProjectionTable].layout,
                                 .weights = weights[kProjectionTable],
                                 .rank = model.config.rank};
  const std::size_t table = proposal_table(model.config);
  const BlockLayout& classes = model.tables[table].layout;
  if (!proposes_by_tree(model.config)) {
    return std::make_unique<LowRankProposal>(
        scorer.any(), projection, FlatScorer(scorer.any().classes(), classes, weights[table]));
  }
  return std::make_unique<TreeProposal>(scorer.any(), projection,
                                        PathScorer(model.tree, classes, weights[table], true));
}

std::unique_ptr<Selector> make_training_selector(const ModelData& model, const ModelScorer& scorer,
                                                 const DatasetView& data, TrainState& state) {
  const MethodRow& method = row_of(model.config.method);
  if (method.trains_all_classes) return std::make_unique<AllSelector>(scorer.any());
  if (!method.has_candidates) return nullptr;
  switch (model.config.select) {
    case SelectorKind::kCentroid:
      // An encoder changes what the examples are from one batch to the next: no margins.
      return std::make_unique<CentroidSelector>(
          scorer.flat(), model.tree, levels_of<float>(model, state.weights[kLevelTable].data()),
          SearchMeasurement{.data = has_encoder(model.config) ? nullptr : &data,
                            .width = model.config.beam});
    case SelectorKind::kExact:
      return std::make_unique<ExactSelector>(scorer.any());
    case SelectorKind::kAll:
      return std::make_unique<AllSelector>(scorer.any());
    case SelectorKind::kBeam:
      return std::make_unique<BeamSelector>(scorer.tree());
    case SelectorKind::kNarrow:
    case SelectorKind::kTree:
    case SelectorKind::kHsm:
    case SelectorKind::kNone:
    case SelectorKind::kFrequent:
    case SelectorKind::kBatch:
    case SelectorKind::kAuto:
      break;
  }
  throw std::logic_error("the options name no selector of training");
}

std::unique_ptr<FixedNoise> make_noise(const ModelData& model, std::uint32_t classes) {
  switch (model.config.noise) {
    case NoiseKind::kUnigram:
      return std::make_unique<UnigramNoise>(model.class_counts, model.config.noise_power);
    // A proposal draws its own noise samples and a method without noise draws none: neither uses
    // this distribution.
    case NoiseKind::kProposal:
    case NoiseKind::kAuto:
    case NoiseKind::kUniform:
      return std::make_unique<UniformNoise>(classes);
  }
  throw std::logic_error("a noise law without a class");
}

std::unique_ptr<ClassGradient> make_gradient(const ModelData& model) {
  const BlockLayout& layout = model.tables[kClassTable].layout;
  if (has_path_scorer(model.config)) {
    return std::make_unique<PathGradient>(model.tree, layout);
  }
  return std::make_unique<FlatGradient>(layout);
}

std::unique_ptr<Selector> make_predicting_selector(const ModelData& model,
                                                   const WeightViews& weights,
                                                   const ModelScorer& scorer) {
  if (is_online_tree(model.config)) return make_online_selector(scorer.any());
  if (uses_proposal(model.config)) return make_proposal(model, weights, scorer, kAllAnswers);
  if (indexes_tree(model.config)) {
    auto selector = std::make_unique<CentroidSelector>(
        scorer.flat(), model.tree, levels_of<const float>(model, weights[kLevelTable].floats()));
    selector->refresh(nullptr);
    return selector;
  }
  // Without candidates the row is that of kAuto, which is not exhaustive.
  if (has_path_scorer(model.config) && !row_of(model.config.select).is_exhaustive) {
    return std::make_unique<BeamSelector>(scorer.tree());
  }
  return std::make_unique<ExactSelector>(scorer.any());
}

ListMaker::Rules make_list_rules(const ModelData& model) {
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  const bool lists_all = row_of(model.config.method).trains_all_classes;
  ListMaker::Rules rules = {.shared = {},
                            .shares_labels = row_of(model.config.select).shares_labels,
                            .slots = lists_all ? 0 : model.config.noises};
  const auto shared = std::min(lists_all ? classes : model.config.candidates, classes);
  std::vector<ClassId> most_frequent(classes);
  std::iota(most_frequent.begin(), most_frequent.end(), 0U);
  std::ranges::stable_sort(most_frequent, std::greater(),
                           [&](ClassId k) { return model.class_counts[k]; });
  rules.shared.assign(most_frequent.begin(), most_frequent.begin() + shared);
  std::ranges::sort(rules.shared);
  return rules;
}

SlotLaw make_slot_law(const ModelData& model, const ListMaker::Rules& rules) {
  const bool by_power = row_of(model.config.noise).uses_power;
  return {model.class_counts, by_power ? model.config.noise_power : 0.0F, rules.shared};
}

bool trains_by_team(const ModelData& model) {
  const TrainConfig& config = model.config;
  if (has_path_scorer(config) || !model.tables[kClassTable].layout.is_row_major()) return false;
  return shares_lists(config) || (row_of(config.method).trains_all_classes &&
                                  !row_of(config.optimizer).is_adaptive && !has_encoder(config));
}

}  // namespace cane
