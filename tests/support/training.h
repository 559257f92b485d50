// A training over small data, put together as the library does it but without files: the tree is
// balanced, and weights begin at zero unless the test starts them.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "learn/trainer.h"
#include "methods/choose.h"
#include "methods/method.h"
#include "support/small_data.h"
#include "tree/balanced_tree.h"

namespace cane::testing {

inline ModelData small_model(const DatasetView& view, const TrainConfig& asked,
                             std::uint32_t classes) {
  ModelData model;
  const DataFacts facts = facts_of(view, classes);
  model.config = choose(asked, facts).config;
  for (std::uint32_t k = 0; k < classes; ++k) {
    model.vocabulary.labels.push_back(std::to_string(k));
  }
  model.vocabulary.dimension = view.dimension();
  model.class_counts.assign(classes, 0);
  for (std::size_t e = 0; e < view.size(); ++e) ++model.class_counts[view.label(e)];
  model.training_examples = view.size();
  if (uses_tree(model.config)) {
    std::vector<ClassId> order(classes);
    std::iota(order.begin(), order.end(), 0U);
    model.tree = balanced_tree(order, model.config.arity);
  }
  model.flat_width = flat_width(facts.density);
  model.tables = make_tables(model.config, model.tree, classes, view.dimension(), model.flat_width);
  return model;
}

struct Training {
  Training(const SmallData& data, const TrainConfig& asked, std::uint32_t classes = 20)
      : view(data.view()),
        model(small_model(view, asked, classes)),
        config(model.config),
        state(make_train_state(model.tables, config)),
        pool(config.threads),
        method(make_training_method(model, view, state.weights)),
        trainer(view, method.parts, config, state, pool) {}

  void run_all() {
    while (state.epoch < config.epochs) {
      trainer.run_epoch([] { return true; });
      last_loss = state.totals.loss / state.totals.weight;
      ++state.epoch;
      state.next_batch = 0;
      state.totals = {};
    }
  }

  const BlockLayout& layout() const { return model.tables[kClassTable].layout; }
  /// Of all tables.
  std::vector<float> weights() const {
    std::vector<float> all;
    for (const auto& table : state.weights) {
      all.insert(all.end(), table.data(), table.data() + table.size());
    }
    return all;
  }

  DatasetView view;
  ModelData model;
  TrainConfig config;
  TrainState state;
  ThreadPool pool;
  TrainingMethod method;
  Trainer trainer;
  double last_loss = 0.0;
};

}  // namespace cane::testing
