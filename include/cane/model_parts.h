// A model of arrays that another program has learned, and a model as plain arrays: for methods that
// score rows of classes or the nodes of a tree, over dense or sparse features without an encoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/examples.h"
#include "cane/model.h"

namespace cane {

/// A tree over the classes, as `tree.child_counts` and `tree.leaf_classes` of docs/file-formats.md:
/// the number of children of each node, level by level, and the class of each leaf in that order.
struct TreeParts {
  std::vector<std::uint32_t> child_counts;
  std::vector<std::uint32_t> leaf_classes;
};

/// Every table has a row of weights, and its bias last, for each
///   weights               class; with path sums and `hsm`, node of the tree but the root
///   proposal.projection   dimension of the proposal; a bias is added to the dimension
///   proposal.weights      class (`narrow`), or node of the tree but the root (`tree`, `hsm`)
/// over the features, or over the dimensions of the proposal.
struct ModelParts {
  TrainConfig config;                            // what is left open is chosen as for a training
  std::vector<std::string> labels;               // of the classes
  std::size_t dimension = 0;                     // number of features
  std::vector<std::uint64_t> class_counts = {};  // training examples; empty: one of each class
  TreeParts tree = {};
  std::map<std::string, DenseRows> tables;
};

/// Copies the tables. Throws Error if something is missing or does not fit, and for methods that
/// have other parts.
Model assemble_model(const ModelParts& parts);

struct ModelTable {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
};
/// The tables of a model, as ModelParts describes them; a quantized one is decoded.
std::map<std::string, ModelTable> tables_of(const Model& model);
/// Empty if the model has no tree.
TreeParts tree_of(const Model& model);

}  // namespace cane
