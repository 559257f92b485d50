#include "cane/tree.h"

#include <fmt/format.h>

#include <memory>

#include "cane/error.h"
#include "core/base/thread_pool.h"
#include "core/tree/class_tree.h"
#include "core/tree/tree_file.h"
#include "data/loaded_data.h"
#include "train/clusters/build_tree.h"

namespace cane {
namespace {

// Least possible mean depth of a tree with `classes` leaves: fill whole levels, then turn as few
// nodes as possible of the last level into parents, each with as many leaves as it can hold.
double least_mean_depth(std::uint64_t classes, std::uint64_t arity) {
  std::uint64_t depth = 0;
  std::uint64_t width = 1;
  while (width * arity <= classes) {
    width *= arity;
    ++depth;
  }
  const std::uint64_t surplus = classes - width;
  const std::uint64_t parents = (surplus + arity - 2) / (arity - 1);
  return static_cast<double>(depth) +
         static_cast<double>(surplus + parents) / static_cast<double>(classes);
}

}  // namespace

Tree Tree::build(const std::string& kind, const Dataset& data, std::uint32_t arity,
                 std::uint64_t seed, int threads, const Context& context) {
  ThreadPool pool(threads);
  const LoadedData& loaded = data.data();
  return Tree(std::make_shared<const ClassTree>(
      build_tree(kind, loaded.view, loaded.vocabulary.labels, arity, seed, {pool, context})));
}

Tree Tree::read(const std::string& path, const std::vector<std::string>& labels) {
  return Tree(std::make_shared<const ClassTree>(read_tree_file(path, labels)));
}

void Tree::write(const std::string& path, const std::vector<std::string>& labels) const {
  if (labels.size() != data_->class_count()) {
    throw Error(
        fmt::format("{}: the tree has {} classes, but {} labels are given; give the labels "
                    "of the data it was built for",
                    path, data_->class_count(), labels.size()));
  }
  write_tree_file(path, *data_, labels);
}

TreeStatistics Tree::statistics() const {
  const ClassTree& tree = *data_;
  TreeStatistics statistics;
  statistics.classes = tree.class_count();
  statistics.nodes = tree.node_count() - tree.class_count();
  statistics.arity = tree.arity();
  statistics.depth = tree.depth();
  std::uint64_t depth_sum = 0;
  NodeId level_begin = 0;
  NodeId level_end = 1;
  while (level_begin < level_end) {
    const std::uint64_t depth = statistics.nodes_by_level.size();
    statistics.nodes_by_level.push_back(level_end - level_begin);
    NodeId next_end = level_end;
    for (NodeId node = level_begin; node < level_end; ++node) {
      next_end += tree.child_count(node);
      if (tree.is_leaf(node)) depth_sum += depth;
    }
    level_begin = level_end;
    level_end = next_end;
  }
  statistics.mean_depth = static_cast<double>(depth_sum) / statistics.classes;
  statistics.balance =
      least_mean_depth(statistics.classes, statistics.arity) / statistics.mean_depth;
  return statistics;
}

}  // namespace cane
