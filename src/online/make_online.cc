#include "online/make_online.h"

#include <stdexcept>
#include <utility>

#include "online/filter_tree.h"
#include "online/lomtree.h"
#include "online/recall_tree.h"

namespace cane {
namespace {

std::size_t router_table(const TrainConfig& config) {
  return row_of(config.method).has_node_candidates ? kRouterTable : kClassTable;
}

bool has_dense_rows(const ModelData& model) {
  return model.flat_width == kRowWidth;
}

std::span<const float> feature_scales(const ModelData& model, const WeightViews& weights) {
  if (!scales_features(model.config)) return {};
  return {weights.back().floats(), model.tables.back().layout.size()};
}

std::shared_ptr<OnlineLearner> make_online_learner(const ModelData& model, const DatasetView& data,
                                                   const EncoderParts& encoder, TrainState& state) {
  const auto learner = [&](std::size_t table) {
    return RowLearner(model.tables[table].layout, state.weights[table].data(),
                      state.optimizers[table]->state().data());
  };
  const TrainConfig& config = model.config;
  const OnlineInputs inputs = {&data, encoder, feature_scales(model, views_of(state.weights)),
                               has_dense_rows(model)};
  const RowLearner routers = learner(router_table(config));
  const MethodRow& method = row_of(config.method);
  if (method.grows_nodes) {
    return std::make_shared<LomTreeLearner>(inputs, config, model.class_counts,
                                            routing_of(*state.method_state), routers);
  }
  if (method.has_node_candidates) {
    return std::make_shared<RecallTreeLearner>(inputs, model, routing_of(*state.method_state),
                                               learner(kClassTable), routers);
  }
  if (method.needs_binary_tree) {
    return std::make_shared<FilterTreeLearner>(inputs, model.tree, routers);
  }
  throw std::logic_error("an online tree without a learner");
}

}  // namespace

std::function<std::unique_ptr<ExampleWorker>()> online_learners(const ModelData& model,
                                                                const DatasetView& data,
                                                                const EncoderParts& encoder,
                                                                TrainState& state) {
  return [learner = make_online_learner(model, data, encoder, state)] {
    return std::make_unique<OnlineThread>(learner);
  };
}

std::unique_ptr<Selector> make_online_selector(const ClassScorer& scorer) {
  return std::make_unique<OnlineSelector>(static_cast<const OnlineScorer&>(scorer));
}

std::unique_ptr<ClassScorer> make_online_scorer(const ModelData& model,
                                                const WeightViews& weights) {
  const auto scorer = [&](std::size_t table) {
    return RowScorer(model.tables[table].layout, weights[table]);
  };
  const TrainConfig& config = model.config;
  const RowScorer routers = scorer(router_table(config));
  std::unique_ptr<const RowClassifier> classifier;
  const MethodRow& method = row_of(config.method);
  if (method.grows_nodes) {
    classifier = std::make_unique<LomTreeClassifier>(model.class_counts,
                                                     routing_of(*model.method_state), routers);
  } else if (method.has_node_candidates) {
    classifier = std::make_unique<RecallTreeClassifier>(model, scorer(kClassTable), routers);
  } else if (method.needs_binary_tree) {
    classifier = std::make_unique<FilterTreeClassifier>(model.tree, routers);
  } else {
    throw std::logic_error("an online tree without a classifier");
  }
  return std::make_unique<OnlineScorer>(
      std::move(classifier), RowScaling(feature_scales(model, weights)), has_dense_rows(model));
}

}  // namespace cane
