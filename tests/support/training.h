// Training over small data, assembled as in the library but without files. The tree is balanced
// unless the options ask for one that is made from counts alone. Weights are zero until start() is
// called.
#pragma once

#include <string>
#include <vector>

#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"
#include "engine/describe_model.h"
#include "engine/method.h"
#include "methods/resolve.h"
#include "support/small_data.h"
#include "train/executors/executors.h"
#include "train/start/start.h"
#include "train/trainer.h"

namespace cane::testing {

inline ClassTree small_tree(const TrainConfig& config, const std::vector<std::uint64_t>& counts) {
  const std::vector<double> frequencies(counts.begin(), counts.end());
  if (config.tree == "huffman") return huffman_tree(frequencies);
  return balanced_tree(class_order(static_cast<std::uint32_t>(counts.size())), config.arity);
}

inline ModelData small_model(const DatasetView& view, const TrainConfig& asked,
                             std::uint32_t classes) {
  ModelData model;
  const DataFacts facts = facts_of(view, classes);
  model.config = resolve(asked, facts).config;
  for (std::uint32_t k = 0; k < classes; ++k) {
    model.vocabulary.labels.push_back(std::to_string(k));
  }
  model.vocabulary.dimension = view.dimension();
  model.class_counts.assign(classes, 0);
  for (std::size_t e = 0; e < view.size(); ++e) ++model.class_counts[view.label(e)];
  model.training_examples = view.size();
  if (uses_tree(model.config)) model.tree = small_tree(model.config, model.class_counts);
  model.flat_width = flat_width(model.config, facts.density);
  model.tables = make_tables(model.config, model.tree, classes, view.dimension(), model.flat_width);
  return model;
}

inline TrainState small_state(ModelData& model) {
  TrainState state = make_train_state(model.tables, model.config);
  start_method_state(model, state);
  return state;
}

/// The state of a training on the processor.
inline TrainState small_state(ModelData& model, const DatasetView& view) {
  TrainState state = small_state(model);
  if (whitens(model.config, view.density())) {
    ThreadPool pool(1);
    state.whitening = StartMeans(view, static_cast<std::uint32_t>(model.vocabulary.labels.size()),
                                 model.config.seed)
                          .whitening(pool);
  }
  return state;
}

struct Training {
  /// `data`: any type with a view().
  template <typename Data>
  Training(const Data& data, const TrainConfig& asked, std::uint32_t classes = 20)
      : view(data.view()),
        model(small_model(view, asked, classes)),
        config(model.config),
        state(small_state(model, view)),
        pool(config.threads),
        method(make_training_method(model, view, state)),
        context(pool),
        trainer(model, view, nullptr, state, pool,
                make_executor(method.parts, model.config, view.size(), state, context)) {}

  void start() { start_weights(view, model, pool, state); }

  void run_all() {
    while (state.loop.epoch < config.epochs) {
      trainer.run_epoch([] { return true; });
      last_loss = state.totals.loss / state.totals.weight;
      ++state.loop.epoch;
      state.next_batch = 0;
      state.totals = {};
    }
  }

  const BlockLayout& layout() const { return model.tables[kClassTable].layout; }
  /// Accuracy on the training examples.
  double accuracy() {
    return evaluate(make_predictor(model, views_of(state.weights)), view, model.class_counts,
                    search_widths(model, 0), {}, pool)
        .accuracy;
  }
  /// The weights of all tables.
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
  RunContext context;
  Trainer trainer;
  double last_loss = 0.0;
};

}  // namespace cane::testing
