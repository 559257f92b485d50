#include "online/routing_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cane/error.h"
#include "core/file/archive.h"
#include "methods/config_facts.h"

namespace cane {
namespace {

// Of the tensor names.
constexpr const char* kPrefix = "routing.";

// Sums of fractional weights are subject to rounding.
bool is_about(double a, double b) {
  return std::abs(a - b) <= 1e-6 * (1.0 + std::max(std::abs(a), std::abs(b)));
}

bool is_count(double value) {
  return std::isfinite(value) && value >= 0.0;
}

RoutingTree full_tree(const TrainConfig& config) {
  return RoutingTree::full(static_cast<std::uint32_t>(std::bit_width(config.nodes)));
}

const char* validation_error_of_entries(const RoutingState& state, NodeId node,
                                        std::uint32_t classes) {
  for (const ClassEntry& entry : state.histograms[node].entries()) {
    if (entry.label >= classes) return "a node counts a class that is not there";
    if (!is_count(entry.count)) return "a count of a class is none";
    if (!std::isfinite(entry.value)) return "a node has a value that is no number";
    if (!is_count(static_cast<double>(entry.square))) return "a sum of squares is none";
  }
  return nullptr;
}

double sum_of_counts(const ClassHistogram& histogram) {
  double sum = 0.0;
  for (const ClassEntry& entry : histogram.entries()) sum += entry.count;
  return sum;
}

double sum_of_children(const RoutingState& state, NodeId node) {
  return state.counts[state.tree.child(node, false)] + state.counts[state.tree.child(node, true)];
}

const char* validation_error_of_lomtree(const RoutingState& state, NodeId node) {
  const ClassHistogram& histogram = state.histograms[node];
  if (!state.tree.is_leaf(node)) {
    return is_about(state.counts[node], sum_of_children(state, node))
               ? nullptr
               : "the count of a node is not the sum of its children's";
  }
  if (state.seen[node] > state.counts[node] && !is_about(state.seen[node], state.counts[node])) {
    return "a leaf counts the classes of more examples than reached it";
  }
  const double majority = histogram.count(state.majorities[node]);
  for (const ClassEntry& entry : histogram.entries()) {
    if (entry.count > majority) return "a leaf does not predict its most frequent class";
  }
  return nullptr;
}

const char* validation_error_of_recall_tree(const RoutingState& state, NodeId node) {
  const double count = state.counts[node];
  if (!is_about(count, state.seen[node])) return "a node has examples of no class";
  if (state.tree.is_leaf(node)) return nullptr;
  const double below = sum_of_children(state, node);
  return below <= count || is_about(below, count)
             ? nullptr
             : "the count of a node is less than that of its children";
}

/// A state as stored in a file: one array per field over the nodes, and all histograms
/// concatenated.
struct RoutingArrays {
  std::vector<NodeId> left;
  std::vector<NodeId> right;
  std::vector<std::uint32_t> rows;
  std::vector<double> counts;
  std::vector<double> seen;
  std::vector<float> margins;
  std::vector<ClassId> majorities;
  std::vector<std::uint64_t> ends;  // end of each node's classes in the arrays below
  std::vector<ClassId> labels;
  std::vector<double> class_counts;
  std::vector<float> values;
  std::vector<float> squares;
};

template <typename Archive>
void describe(Archive& archive, const std::string& prefix, RoutingArrays& arrays,
              bool with_squares) {
  archive.values(prefix + "counts", arrays.counts);
  archive.values(prefix + "seen", arrays.seen);
  archive.values(prefix + "classes.ends", arrays.ends);
  archive.values(prefix + "classes.counts", arrays.class_counts);
  archive.values(prefix + "left", arrays.left);
  archive.values(prefix + "right", arrays.right);
  archive.values(prefix + "rows", arrays.rows);
  archive.values(prefix + "majorities", arrays.majorities);
  archive.values(prefix + "margins", arrays.margins);
  archive.values(prefix + "classes.labels", arrays.labels);
  archive.values(prefix + "classes.values", arrays.values);
  if (archive.has_tensor(prefix + "classes.squares", with_squares)) {
    archive.values(prefix + "classes.squares", arrays.squares);
  } else if constexpr (Archive::kReads) {
    arrays.squares.resize(arrays.labels.size());
  }
}

RoutingArrays arrays_of(const RoutingState& state) {
  RoutingArrays arrays;
  arrays.left.assign(state.tree.left().begin(), state.tree.left().end());
  arrays.right.assign(state.tree.right().begin(), state.tree.right().end());
  arrays.rows.assign(state.tree.rows().begin(), state.tree.rows().end());
  arrays.counts = state.counts;
  arrays.seen = state.seen;
  arrays.margins = state.margins;
  arrays.majorities = state.majorities;
  std::vector<ClassEntry> sorted;
  for (const ClassHistogram& histogram : state.histograms) {
    sorted.assign(histogram.entries().begin(), histogram.entries().end());
    std::ranges::sort(sorted, {}, &ClassEntry::label);
    for (const ClassEntry& entry : sorted) {
      arrays.labels.push_back(entry.label);
      arrays.class_counts.push_back(entry.count);
      arrays.values.push_back(entry.value);
      arrays.squares.push_back(entry.square);
    }
    arrays.ends.push_back(arrays.labels.size());
  }
  return arrays;
}

/// Describes what is wrong with the lengths and the order of the arrays; null if they are valid.
const char* validation_error(const RoutingArrays& arrays) {
  const std::size_t nodes = arrays.left.size();
  for (const std::size_t size :
       {arrays.right.size(), arrays.rows.size(), arrays.counts.size(), arrays.seen.size(),
        arrays.margins.size(), arrays.majorities.size(), arrays.ends.size()}) {
    if (size != nodes) return "does not have one value for each node";
  }
  const std::size_t entries = arrays.labels.size();
  for (const std::size_t size :
       {arrays.class_counts.size(), arrays.values.size(), arrays.squares.size()}) {
    if (size != entries) return "does not have one value for each class of a node";
  }
  std::uint64_t begin = 0;
  for (const std::uint64_t end : arrays.ends) {
    if (end < begin || end > entries) return "has ends of classes that are out of order";
    for (std::uint64_t i = begin + 1; i < end; ++i) {
      if (arrays.labels[i] <= arrays.labels[i - 1]) return "has classes that are out of order";
    }
    begin = end;
  }
  return begin == entries ? nullptr : "has more classes than its nodes";
}

}  // namespace

void RoutingState::resize() {
  const std::size_t nodes = tree.node_count();
  counts.resize(nodes);
  margins.resize(nodes);
  seen.resize(nodes);
  majorities.resize(nodes);
  histograms.resize(nodes);
}

std::shared_ptr<MethodState> make_method_state(const TrainConfig& config) {
  return keeps_state(config) ? std::make_shared<RoutingState>() : nullptr;
}

void RoutingState::start(const TrainConfig& config, std::uint32_t classes) {
  *this = RoutingState();
  if (!row_of(config.method).grows_nodes) tree = full_tree(config);
  resize();
  if (row_of(config.method).has_node_candidates && config.candidates >= classes) {
    // All classes are candidates, whether or not they have been seen.
    for (ClassHistogram& histogram : histograms) {
      for (ClassId label = 0; label < classes; ++label) histogram.at(label);
      histogram.rank(classes);
    }
  }
}

std::shared_ptr<MethodState> RoutingState::copy() const {
  return std::make_shared<RoutingState>(*this);
}

const char* validation_error(const RoutingState& state, const TrainConfig& config,
                             std::uint32_t classes) {
  const bool grows = row_of(config.method).grows_nodes;
  if (grows && state.tree.inner_count() > config.nodes) {
    return "the tree has more nodes than its options allow";
  }
  if (!grows && (state.tree.inner_count() != config.nodes || state.tree != full_tree(config))) {
    return "the tree is not the one of its options";
  }
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    if (!is_count(state.counts[node])) return "a count of a node is none";
    if (state.majorities[node] >= classes) return "a leaf predicts a class that is not there";
    if (!std::isfinite(state.margins[node])) return "a node has a value that is no number";
    if (const char* what = validation_error_of_entries(state, node, classes)) return what;
    if (!is_about(state.seen[node], sum_of_counts(state.histograms[node]))) {
      return "the count of a node is not the sum of its classes'";
    }
    const char* what = grows ? validation_error_of_lomtree(state, node)
                             : validation_error_of_recall_tree(state, node);
    if (what != nullptr) return what;
  }
  return nullptr;
}

void RoutingState::write(ArchiveWriter& archive, const std::string& prefix,
                         bool for_training) const {
  describe(archive, prefix + kPrefix, archive.keep(arrays_of(*this)), for_training);
}

void RoutingState::read(ArchiveReader& archive, const std::string& prefix,
                        const TrainConfig& config, std::uint32_t classes) {
  RoutingArrays arrays;
  describe(archive, prefix + kPrefix, arrays, false);
  if (const char* what = validation_error(arrays)) {
    throw_damaged(archive.file(), fmt::format("its part '{}{}' {}", prefix, kPrefix, what));
  }
  try {
    tree = RoutingTree(arrays.left, arrays.right, arrays.rows);
  } catch (const Error& error) {
    throw_damaged(archive.file(), error.what());
  }
  resize();
  counts = arrays.counts;
  seen = arrays.seen;
  margins = arrays.margins;
  majorities = arrays.majorities;
  std::size_t place = 0;
  for (NodeId node = 0; node < arrays.ends.size(); ++node) {
    ClassHistogram& histogram = histograms[node];
    for (; place < arrays.ends[node]; ++place) {
      ClassEntry& entry = histogram.at(arrays.labels[place]);
      entry.count = arrays.class_counts[place];
      entry.value = arrays.values[place];
      entry.square = arrays.squares[place];
    }
    if (row_of(config.method).has_node_candidates) histogram.rank(config.candidates);
  }
  if (const char* what = validation_error(*this, config, classes)) {
    throw_damaged(archive.file(), what);
  }
}

}  // namespace cane
