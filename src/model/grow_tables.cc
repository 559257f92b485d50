#include "model/grow_tables.h"

#include <algorithm>
#include <cassert>

namespace cane {
namespace {

// The weights of one edge or class: a column of its block, the bias last.
struct Column {
  std::size_t begin;
  std::size_t stride;
};

Column edge_column(const ClassTree& tree, const BlockLayout& layout, NodeId node) {
  const NodeId parent = tree.parent(node);
  return {layout.offset(parent) + (node - tree.first_child(parent)), layout.shape(parent).stride};
}

Column class_column(const BlockLayout& layout, ClassId label) {
  const std::uint32_t width = layout.widest_stride();
  return {layout.offset(label / width) + label % width, width};
}

void copy_column(const float* from, Column source, float* to, Column target, FeatureId dimension) {
  for (std::size_t feature = 0; feature <= dimension; ++feature) {
    to[target.begin + feature * target.stride] = from[source.begin + feature * source.stride];
  }
}

bool has_classes(const TrainConfig& config, std::size_t table) {
  return table == kClassTable || (uses_proposal(config) && table == proposal_table(config));
}

bool is_in_tree(const TrainConfig& config, std::size_t table) {
  return table == kClassTable ? has_path_scorer(config) : proposes_by_tree(config);
}

}  // namespace

void grow_weights(const ModelData& model, const ModelData& grown, const GrownTree& tree,
                  std::span<const ClassId> siblings, std::vector<AlignedBuffer<float>>& weights) {
  const auto classes = static_cast<ClassId>(model.vocabulary.labels.size());
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& before = model.tables[table].layout;
    const BlockLayout& after = grown.tables[table].layout;
    const float* const from = model.weights[table].floats();
    float* const to = weights[table].data();
    if (!has_classes(model.config, table)) {
      assert(before.size() == after.size());
      std::copy_n(from, before.size(), to);
      continue;
    }
    if (!is_in_tree(model.config, table)) {
      for (ClassId label = 0; label < classes + siblings.size(); ++label) {
        const ClassId source = label < classes ? label : siblings[label - classes];
        copy_column(from, class_column(before, source), to, class_column(after, label),
                    after.dimension());
      }
      continue;
    }
    for (NodeId node = 1; node < model.tree.node_count(); ++node) {
      copy_column(from, edge_column(model.tree, before, node), to,
                  edge_column(tree.tree, after, tree.node_of[node]), after.dimension());
    }
    for (std::uint32_t i = 0; i < siblings.size(); ++i) {
      const NodeId leaf = tree.tree.leaf_of(classes + i);
      // Classes inserted later may have moved its sibling to a deeper level.
      NodeId neighbour = tree.tree.leaf_of(siblings[i]);
      while (tree.tree.parent(neighbour) != tree.tree.parent(leaf)) {
        neighbour = tree.tree.parent(neighbour);
      }
      copy_column(to, edge_column(tree.tree, after, neighbour), to,
                  edge_column(tree.tree, after, leaf), after.dimension());
    }
  }
}

std::vector<ClassColumn> class_columns(const ModelData& model, ClassId label) {
  std::vector<ClassColumn> columns;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    if (!has_classes(model.config, table)) continue;
    const BlockLayout& layout = model.tables[table].layout;
    const Column column = is_in_tree(model.config, table)
                              ? edge_column(model.tree, layout, model.tree.leaf_of(label))
                              : class_column(layout, label);
    columns.push_back(
        {table, column.begin, column.stride, column.begin + layout.dimension() * column.stride});
  }
  return columns;
}

}  // namespace cane
