#include "engine/describe_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "cane/error.h"
#include "cane/names.h"
#include "data/loaded_data.h"
#include "engine/memory_estimate.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "train/start/automatic_rate.h"

namespace cane {
namespace {

void take_tree(StartSource& source, const RunContext& context, ModelData& model) {
  const TrainConfig& config = model.config;
  const StartSource::BuiltTree& built = source.tree(config, context.pool());
  model.tree = built.tree;
  if (row_of(config.method).needs_binary_tree && model.tree.arity() != 2) {
    throw OptionError(
        "tree",
        fmt::format("{} plays matches of two, and a node of this tree has {} children",
                    name_of(config.method), model.tree.arity()),
        "use `tree clustered`, balanced, random or huffman");
  }
  context.observer().on_message(fmt::format("tree {}: {} classes, arity {}, depth {}, {:.1f} s",
                                            config.tree, model.tree.class_count(),
                                            model.tree.arity(), model.tree.depth(), built.seconds));
}

}  // namespace

DataFacts facts_of(const DatasetView& data, std::uint32_t classes) {
  std::vector<std::uint32_t> counts(classes, 0);
  for (const ClassId label : data.labels()) {
    if (label < classes) ++counts[label];
  }
  const std::size_t listed =
      std::min<std::size_t>(row_of(SelectorKind::kFrequent).candidates, classes);
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(listed);
  if (end != counts.end()) std::nth_element(counts.begin(), end, counts.end(), std::greater());
  const double frequent = std::accumulate(counts.begin(), end, 0.0);
  return {classes, data.dimension(), data.size(), data.density(),
          frequent / static_cast<double>(std::max<std::size_t>(data.size(), 1))};
}

ModelData describe_model(StartSource& source, const TrainConfig& asked, const RunContext& context) {
  const Dataset& data = source.data();
  TrainObserver& observer = context.observer();
  ModelData model;
  model.vocabulary = data.data().vocabulary;
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  const Resolved resolved = resolve(asked, facts);
  for (const std::string& reason : resolved.reasons) observer.on_message(reason);
  const TrainConfig& config = model.config = resolved.config;
  check_options_fit(config, model.vocabulary.dimension, context.threads());
  model.training_examples = data.size();
  model.class_counts = source.class_counts();
  if (config.lr == 0.0F) {
    const bool is_whitened = whitens(config, facts.density);
    model.config.lr =
        automatic_rate(data.data().view, config, facts.classes,
                       is_whitened ? source.means().whitening(context.pool()) : nullptr);
    observer.on_message(fmt::format("learning rate {:.4g}, to fit the features", model.config.lr));
  }
  if (uses_tree(config)) take_tree(source, context, model);
  model.flat_width = flat_width(config, facts.density);
  model.tables =
      make_tables(config, model.tree, facts.classes, model.vocabulary.dimension, model.flat_width);
  return model;
}

}  // namespace cane
