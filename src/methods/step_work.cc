#include "methods/step_work.h"

#include <algorithm>
#include <cmath>

#include "methods/config_facts.h"

namespace cane {
namespace {

// A product of matrices does as many multiply-adds in a fraction of the time of single rows.
constexpr double kMatrixFactor = 0.25;
// Scoring, the gradient in the input or the noises, and the update.
constexpr double kPasses = 3.0;
// A proposal over all classes learns from a quarter of the examples, in three passes.
constexpr double kProposalPasses = 0.75;
// Nodes that a search in an index scores for each class that it examines closely.
constexpr double kVisitsPerHit = 8.0;

// What a row costs before its first multiply-add: finding it, and its place in a list.
constexpr double kRowOverhead = 16.0;
// A sparse row of a single class lies in a cache line for each of its features. Fetching one costs
// as much as so many multiply-adds; the children of a node share theirs.
constexpr double kLineCost = 24.0;

struct Shape {
  double classes;
  double single;  // multiply-adds to score a class here and there
  double row;     // the same where neighbours are scored as well
  double narrow;  // the same in the dimensions of a proposal
  double arity;
  double depth;
  double beam;
};

Shape shape_of(const TrainConfig& config, const DataFacts& facts) {
  const double values = has_encoder(config) ? static_cast<double>(config.dim)
                                            : facts.density * static_cast<double>(facts.dimension);
  const double classes = std::max(static_cast<double>(facts.classes), 2.0);
  const double arity = std::min(static_cast<double>(config.arity), classes);
  const double row = values + kRowOverhead;
  const bool is_together = has_path_scorer(config) || has_dense_rows(config, facts.density);
  return {.classes = classes,
          .single = is_together ? row : kLineCost * values + kRowOverhead,
          .row = row,
          .narrow = has_prior(config) ? row : static_cast<double>(config.rank) + 1.0,
          .arity = arity,
          .depth = std::max(std::ceil(std::log(classes) / std::log(arity)), 1.0),
          .beam = static_cast<double>(config.beam)};
}

// Nodes that a beam search down the tree scores.
double nodes_searched(const Shape& shape) {
  return shape.arity * (1.0 + (shape.depth - 1.0) * std::min(shape.beam, shape.classes));
}

double search_work(const TrainConfig& config, const Shape& shape) {
  const SelectorRow& selector = row_of(config.select);
  if (selector.has_proposal) {
    const double proposed = selector.proposes_by_tree ? nodes_searched(shape) : shape.classes;
    return proposed * shape.narrow + shape.beam * shape.single;
  }
  if (selector.is_exhaustive) return shape.classes * shape.row;
  if (selector.indexes_tree) return kVisitsPerHit * shape.beam * shape.row;
  return nodes_searched(shape) * shape.row;
}

double encoder_work(const TrainConfig& config, const DataFacts& facts) {
  if (!has_encoder(config)) return 0.0;
  const double dim = static_cast<double>(config.dim);
  const double values = facts.density * static_cast<double>(facts.dimension);
  return dim * (values + dim * static_cast<double>(encoder_layers(config) - 1));
}

}  // namespace

double step_work(const TrainConfig& config, const DataFacts& facts) {
  const MethodRow& method = row_of(config.method);
  const Shape shape = shape_of(config, facts);
  const double encoder = kPasses * encoder_work(config, facts);
  if (method.trains_all_classes) {
    const bool matrix = has_dense_rows(config, facts.density) && !has_encoder(config);
    return encoder + kPasses * shape.classes * shape.row * (matrix ? kMatrixFactor : 1.0);
  }
  const double path = has_path_scorer(config) ? shape.depth : 1.0;
  if (shares_lists(config)) {
    const double listed = static_cast<double>(config.candidates + config.noises);
    return encoder + kPasses * std::min(listed, shape.classes) * shape.row * kMatrixFactor;
  }
  if (!method.has_candidates) {
    const double learned = method.is_hierarchical
                               ? shape.depth * shape.arity * shape.row
                               : (static_cast<double>(config.noises) + 1.0) * shape.single;
    return encoder + kPasses * learned;
  }
  const double learned = static_cast<double>(config.candidates + config.noises) * path;
  double search = search_work(config, shape) / std::max(config.reuse, 1U);
  if (uses_proposal(config)) {
    const double own = proposes_by_tree(config) ? shape.depth * shape.arity : shape.classes;
    search += (proposes_by_tree(config) ? kPasses - 1.0 : kProposalPasses) * own * shape.narrow;
  }
  return encoder + search + (kPasses - 1.0) * learned * shape.single;
}

double training_work(const TrainConfig& config, const DataFacts& facts) {
  return step_work(config, facts) * static_cast<double>(facts.examples) *
         static_cast<double>(config.epochs);
}

double prediction_work(const TrainConfig& config, const DataFacts& facts) {
  const Shape shape = shape_of(config, facts);
  const double encoder = encoder_work(config, facts);
  if (finds_candidates(config)) return encoder + search_work(config, shape);
  const double scored = has_path_scorer(config) ? nodes_searched(shape) : shape.classes;
  return encoder + scored * shape.row * (has_path_scorer(config) ? 1.0 : kMatrixFactor);
}

double normalizer_work(const TrainConfig& config, const DataFacts& facts) {
  const Shape shape = shape_of(config, facts);
  const bool matrix = has_dense_rows(config, facts.density) && !has_path_scorer(config);
  return shape.classes * shape.row * (matrix ? kMatrixFactor : 1.0);
}

}  // namespace cane
