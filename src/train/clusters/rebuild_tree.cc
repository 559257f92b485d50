#include "train/clusters/rebuild_tree.h"

#include <numeric>
#include <utility>

#include "data/rows/dataset_view.h"
#include "linear/scorers/path_sums.h"
#include "train/clusters/build_tree.h"

namespace cane {
namespace {

// Tables whose blocks are nodes of the tree.
std::vector<std::size_t> tree_tables(const TrainConfig& config) {
  std::vector<std::size_t> tables;
  if (has_path_scorer(config)) tables.push_back(kClassTable);
  if (proposes_by_tree(config)) tables.push_back(proposal_table(config));
  return tables;
}

// The weight vector of each class, without the bias, as its single example.
ClassTree cluster(const std::vector<float>& sums, FeatureId dimension, const ModelData& model,
                  ThreadPool& pool) {
  const std::size_t classes = model.vocabulary.labels.size();
  const std::size_t width = std::size_t{dimension} + 1;
  std::vector<float> vectors;
  vectors.reserve(classes * dimension);
  for (std::size_t k = 0; k < classes; ++k) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(k * width);
    vectors.insert(vectors.end(), begin, begin + static_cast<std::ptrdiff_t>(dimension));
  }
  std::vector<ClassId> labels(classes);
  std::iota(labels.begin(), labels.end(), 0U);
  DatasetView::Dense rows;
  rows.matrix = std::as_bytes(std::span(vectors)).data();
  const DatasetView view(rows, dimension, labels, {});
  return build_tree(kClusteredTree, view, model.vocabulary.labels, model.config.arity,
                    model.config.seed, pool);
}

AlignedBuffer<float> moved(const std::vector<float>& sums, const ClassTree& tree,
                           const BlockLayout& layout) {
  AlignedBuffer<float> weights(layout.size());
  set_path_sums(sums, tree, layout, weights.data());
  return weights;
}

}  // namespace

void rebuild_tree(ModelData& model, TrainState& state, BestWeights& best, ThreadPool& pool) {
  const std::vector<std::size_t> tables = tree_tables(model.config);
  const auto sums_of = [&](const WeightTables& weights, std::size_t table) {
    return path_sums(model.tree, model.tables[table].layout, weights[table].data());
  };
  // The table of the classes if their scores are path sums, otherwise that of the proposal.
  ClassTree tree = cluster(sums_of(state.weights, tables.front()),
                           model.tables[tables.front()].layout.dimension(), model, pool);
  for (const std::size_t table : tables) {
    BlockLayout layout(tree, model.tables[table].layout.dimension());
    state.weights[table] = moved(sums_of(state.weights, table), tree, layout);
    if (!best.weights.empty()) {
      best.weights[table] = moved(sums_of(best.weights, table), tree, layout);
    }
    state.optimizers[table] =
        make_optimizer(optimizer_of(table, model.tables, model.config), layout);
    if (!state.fine_sums.empty()) state.fine_sums[table].clear();
    model.tables[table].layout = std::move(layout);
  }
  model.tree = std::move(tree);
}

}  // namespace cane
