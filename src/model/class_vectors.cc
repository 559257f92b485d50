#include "model/class_vectors.h"

#include <fmt/format.h>

#include <algorithm>

#include "cane/names.h"
#include "methods/config_facts.h"

namespace cane {
namespace {

void add_edge(const ModelData& model, NodeId parent, std::uint32_t child,
              std::span<float> weights) {
  const BlockLayout& layout = model.tables[kClassTable].layout;
  const WeightView& view = model.weights[kClassTable];
  const std::uint32_t stride = layout.shape(parent).stride;
  std::vector<float> decoded;
  const float* block = nullptr;
  if (view.is_quantized()) {
    decoded.resize(weights.size() * stride);
    view.decode(layout, parent, decoded.data());
    block = decoded.data();
  } else {
    block = view.floats() + layout.offset(parent);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += block[i * stride + child];
}

std::string decides_in_tree(const TrainConfig& config) {
  const MethodRow& method = row_of(config.method);
  if (!method.is_online_tree && !method.is_hierarchical) return {};
  return fmt::format("{} decides step by step in a tree, and a class has no weights of its own",
                     method.name);
}

}  // namespace

std::string why_no_vector(const TrainConfig& config) {
  if (has_prior(config)) {
    return "a hierarchical softmax is part of every score, and has no vector for a class";
  }
  return decides_in_tree(config);
}

std::string why_no_sum(const TrainConfig& config) {
  if (std::string why = decides_in_tree(config); !why.empty()) return why;
  if (row_of(config.encoder).has_hidden_layers) {
    return fmt::format("the layers of {} bend what the features add", name_of(config.encoder));
  }
  return {};
}

FeatureId vector_size(const ModelData& model) {
  return model.tables[kClassTable].layout.dimension();
}

void class_vector(const ModelData& model, ClassId number, std::span<float> weights) {
  if (!has_path_scorer(model.config)) {
    model.weights[kClassTable].decode_column(model.tables[kClassTable].layout, number, weights);
    return;
  }
  std::ranges::fill(weights, 0.0F);
  for (NodeId node = model.tree.leaf_of(number); node != 0;) {
    const NodeId parent = model.tree.parent(node);
    add_edge(model, parent, node - model.tree.first_child(parent), weights);
    node = parent;
  }
}

std::vector<float> feature_embeddings(const ModelData& model) {
  if (!has_encoder(model.config) || row_of(model.config.encoder).has_hidden_layers) return {};
  const std::size_t table = model.tables.size() - 1;
  const BlockLayout& layout = model.tables[table].layout;
  const BlockShape shape = layout.shape(0);
  const std::size_t rows = std::size_t{shape.dimension} + 1;
  std::vector<float> decoded(rows * shape.stride);
  model.weights[table].decode(layout, 0, decoded.data());
  const std::size_t dim = model.config.dim;
  std::vector<float> embeddings;
  embeddings.reserve(rows * dim);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto first = decoded.begin() + static_cast<std::ptrdiff_t>(row * shape.stride);
    embeddings.insert(embeddings.end(), first, first + static_cast<std::ptrdiff_t>(dim));
  }
  return embeddings;
}

}  // namespace cane
