#include "engine/describe_model.h"

#include <fmt/format.h>

#include <chrono>

#include "cane/error.h"
#include "cane/tree.h"
#include "data/loaded_data.h"
#include "methods/choose.h"
#include "train/start/automatic_rate.h"

namespace cane {
namespace {

void build_tree(const Dataset& data, ThreadPool& pool, TrainObserver& observer, ModelData& model) {
  const TrainConfig& config = model.config;
  const auto begin = std::chrono::steady_clock::now();
  model.tree = Tree::build(config.tree, data, config.arity, config.seed, pool.threads()).data();
  if (config.select == SelectorKind::kFrequency && model.tree.depth() > 2) {
    throw Error(
        fmt::format("--tree: the selector frequency takes one layer of subsets, and this tree is "
                    "{} deep; use --tree frequency, or --select beam",
                    model.tree.depth()));
  }
  if (config.method == Method::kFilterTree && model.tree.arity() != 2) {
    throw Error(
        fmt::format("--tree: filter-tree plays matches of two, and a node of this tree has {} "
                    "children; use --tree clustered, balanced, random or huffman",
                    model.tree.arity()));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  observer.on_message(fmt::format("tree {}: {} classes, arity {}, depth {}, {:.1f} s", config.tree,
                                  model.tree.class_count(), model.tree.arity(), model.tree.depth(),
                                  seconds.count()));
}

}  // namespace

std::vector<std::uint64_t> count_examples(const Dataset& data) {
  const DatasetView& view = data.data().view;
  std::vector<std::uint64_t> counts(data.data().vocabulary.labels.size(), 0);
  for (std::size_t example = 0; example < view.size(); ++example) {
    if (view.label(example) == kUnknownClass) {
      throw Error(
          fmt::format("example {} of the training data has no label that is known; read the data "
                      "with Dataset::load(path), and with require_labels",
                      example + 1));
    }
    ++counts[view.label(example)];
  }
  return counts;
}

ModelData describe_model(const Dataset& data, const TrainConfig& asked, ThreadPool& pool,
                         TrainObserver& observer) {
  ModelData model;
  model.vocabulary = data.data().vocabulary;
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  Choice choice = choose(asked, facts);
  for (const std::string& reason : choice.reasons) observer.on_message(reason);
  const TrainConfig& config = model.config = choice.config;
  model.training_examples = data.size();
  model.class_counts = count_examples(data);
  if (config.lr == 0.0F) {
    model.config.lr = automatic_rate(data.data().view, config, facts.classes);
    observer.on_message(fmt::format("learning rate {:.4g}, to fit the features", model.config.lr));
  }
  if (uses_tree(config)) build_tree(data, pool, observer, model);
  model.flat_width = flat_width(config, facts.density);
  model.tables =
      make_tables(config, model.tree, facts.classes, model.vocabulary.dimension, model.flat_width);
  return model;
}

}  // namespace cane
