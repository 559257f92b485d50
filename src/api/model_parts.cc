#include "cane/model_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ranges>
#include <unordered_set>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "core/base/buffer.h"
#include "methods/check_config.h"
#include "methods/resolve.h"
#include "model/model_data.h"

namespace cane {
namespace {

void check_parts_suffice(const TrainConfig& config) {
  const char* what = is_online_tree(config) ? "an online tree"
                     : has_encoder(config)  ? "an encoder"
                     : indexes_tree(config) ? "an index of the tree"
                                            : nullptr;
  if (what == nullptr) return;
  throw Error(fmt::format("the method {} with these options has {}, which is no table of rows",
                          name_of(config.method), what));
}

bool has_node_rows(const ModelData& model, const ParameterTable& table) {
  return table.role == TableRole::kProposal  ? proposes_by_tree(model.config)
         : table.role == TableRole::kVectors ? has_path_scorer(model.config)
                                             : false;
}

std::size_t row_count(const ModelData& model, const ParameterTable& table) {
  if (table.role == TableRole::kEmbeddings) return model.config.rank;
  return has_node_rows(model, table) ? model.tree.node_count() - 1 : model.vocabulary.labels.size();
}

/// Calls body(block, column, row) for each row of a table: which column of which block it is.
template <typename Body>
void for_each_row(const ModelData& model, const ParameterTable& table, const Body& body) {
  if (has_node_rows(model, table)) {
    for (NodeId node = 0; node < table.layout.node_bound(); ++node) {
      for (std::uint32_t child = 0; child < model.tree.child_count(node); ++child) {
        body(node, child, std::size_t{model.tree.first_child(node)} + child - 1);
      }
    }
    return;
  }
  const std::size_t rows = row_count(model, table);
  const std::uint32_t width = table.layout.widest_stride();
  for (std::size_t row = 0; row < rows; ++row) {
    body(static_cast<NodeId>(row / width), static_cast<std::uint32_t>(row % width), row);
  }
}

AlignedBuffer<float> lay_out(const ModelData& model, const ParameterTable& table,
                             const std::map<std::string, DenseRows>& given) {
  const auto found = given.find(table.name);
  if (found == given.end()) throw Error(fmt::format("the table `{}` is missing", table.name));
  const DenseRows& rows = found->second;
  const std::size_t columns = std::size_t{table.layout.dimension()} + 1;
  const std::size_t needed = row_count(model, table);
  if (rows.rows != needed || rows.columns != columns) {
    throw Error(fmt::format("the table `{}` is {} x {}, where {} x {} fit the options", table.name,
                            rows.rows, rows.columns, needed, columns));
  }
  const std::size_t bad =
      static_cast<std::size_t>(std::find_if_not(rows.values, rows.values + needed * columns,
                                                [](float value) { return std::isfinite(value); }) -
                               rows.values);
  if (bad < needed * columns) {
    throw Error(fmt::format("the table `{}` has a number in row {} that is not finite", table.name,
                            bad / columns));
  }
  AlignedBuffer<float> weights(table.layout.size());
  std::fill_n(weights.data(), weights.size(), 0.0F);
  for_each_row(model, table, [&](NodeId block, std::uint32_t column, std::size_t row) {
    const std::size_t stride = table.layout.shape(block).stride;
    float* const out = weights.data() + table.layout.offset(block) + column;
    const float* const in = rows.values + row * columns;
    for (std::size_t i = 0; i < columns; ++i) out[i * stride] = in[i];
  });
  return weights;
}

void take_labels(const ModelParts& parts, ModelData& model) {
  model.vocabulary.labels = parts.labels;
  std::unordered_set<std::string_view> seen;
  for (const std::string& label : parts.labels) {
    if (label.empty()) throw Error("a label is empty");
    if (!seen.insert(label).second) {
      throw Error(fmt::format("the label {} is there twice", shown(label)));
    }
  }
  model.class_counts = parts.class_counts;
  if (model.class_counts.empty()) model.class_counts.assign(parts.labels.size(), 1);
  if (model.class_counts.size() != parts.labels.size()) {
    throw Error(fmt::format("there are {} labels and {} counts of classes", parts.labels.size(),
                            model.class_counts.size()));
  }
  model.training_examples =
      std::accumulate(model.class_counts.begin(), model.class_counts.end(), std::uint64_t{0});
}

}  // namespace

Model assemble_model(const ModelParts& parts) {
  check_class_count(parts.labels.size());
  ModelData model;
  take_labels(parts, model);
  model.vocabulary.feature_kind = FeatureKind::kIndices;
  model.vocabulary.dimension = static_cast<FeatureId>(parts.dimension);
  check_config(parts.config);
  const auto classes = static_cast<std::uint32_t>(parts.labels.size());
  model.config = resolve(parts.config, {classes, model.vocabulary.dimension,
                                        static_cast<std::size_t>(model.training_examples), 1.0})
                     .config;
  check_parts_suffice(model.config);
  if (uses_tree(model.config)) {
    model.tree = ClassTree(parts.tree.child_counts, parts.tree.leaf_classes);
    if (model.tree.class_count() != classes) {
      throw Error(fmt::format("the tree has {} classes, and there are {} labels",
                              model.tree.class_count(), classes));
    }
  }
  model.flat_width = flat_width(model.config, 1.0);
  model.tables =
      make_tables(model.config, model.tree, classes, model.vocabulary.dimension, model.flat_width);
  auto weights = std::make_shared<std::vector<AlignedBuffer<float>>>();
  for (const ParameterTable& table : model.tables) {
    weights->push_back(lay_out(model, table, parts.tables));
  }
  for (const auto& given : parts.tables) {
    if (std::ranges::find(model.tables, given.first, &ParameterTable::name) == model.tables.end()) {
      throw Error(fmt::format("the method {} has no table `{}`", name_of(model.config.method),
                              given.first));
    }
  }
  model.weights = views_of(*weights);
  model.storage = std::move(weights);
  return Model(std::make_shared<const ModelData>(std::move(model)));
}

std::map<std::string, ModelTable> tables_of(const Model& model) {
  const ModelData& data = model.data();
  check_parts_suffice(data.config);
  std::map<std::string, ModelTable> tables;
  for (std::size_t i = 0; i < data.tables.size(); ++i) {
    const ParameterTable& table = data.tables[i];
    ModelTable& rows = tables[table.name];
    rows.rows = row_count(data, table);
    rows.columns = std::size_t{table.layout.dimension()} + 1;
    rows.values.resize(rows.rows * rows.columns);
    std::vector<float> block(rows.columns * table.layout.widest_stride());
    NodeId decoded = table.layout.node_bound();  // none
    for_each_row(data, table, [&](NodeId number, std::uint32_t column, std::size_t row) {
      if (number != decoded) data.weights[i].decode(table.layout, number, block.data());
      decoded = number;
      const std::size_t stride = table.layout.shape(number).stride;
      for (std::size_t k = 0; k < rows.columns; ++k) {
        rows.values[row * rows.columns + k] = block[k * stride + column];
      }
    });
  }
  check_file(data);
  return tables;
}

TreeParts tree_of(const Model& model) {
  const ClassTree& tree = model.data().tree;
  if (tree.node_count() == 0) return {};
  const auto counts = tree.child_counts();
  return {{counts.begin(), counts.end()}, tree.leaf_classes()};
}

}  // namespace cane
