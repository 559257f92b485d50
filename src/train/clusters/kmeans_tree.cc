#include "train/clusters/recursive_clusters.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace cane {
namespace {

// Classes wanted below a node of the lowest level, as a share of the arity: smaller clusters would
// leave most of a block of siblings empty.
constexpr std::size_t kFillOfArity = 2;

// A set of classes and its level; sets that are no clusters are cut into equal pieces.
struct Set {
  ClusterSet set;
  std::size_t level;
};

void cut_evenly(const Set& whole, std::uint32_t arity, std::deque<Set>& sets) {
  const std::size_t pieces = std::min<std::size_t>(arity, whole.set.count);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * whole.set.count / pieces;
    const std::size_t end = (piece + 1) * whole.set.count / pieces;
    sets.push_back({{whole.set.begin + begin, end - begin, 0, 0}, whole.level});
  }
}

}  // namespace

ClassTree kmeans_tree(const ClassCentres& centres, std::uint32_t arity, std::uint64_t seed,
                      ThreadPool& pool) {
  const auto clusters = [&](std::size_t classes) -> std::uint32_t {
    if (classes <= arity) return 0;
    const std::size_t wanted = (classes * kFillOfArity + arity - 1) / arity;
    return static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 2, arity));
  };
  const ClusterLevels found = cluster_recursively(centres, clusters, arity, seed, pool);
  std::vector<std::uint32_t> child_counts;
  std::vector<ClassId> leaf_classes;
  std::deque<Set> sets = {{found.levels[0][0], 0}};
  for (; !sets.empty(); sets.pop_front()) {
    const Set current = sets.front();
    if (current.set.count == 1) {
      child_counts.push_back(0);
      leaf_classes.push_back(found.order[current.set.begin]);
      continue;
    }
    const std::size_t before = sets.size();
    if (current.set.parts > 0) {
      const std::vector<ClusterSet>& next = found.levels[current.level + 1];
      for (std::size_t part = 0; part < current.set.parts; ++part) {
        sets.push_back({next[current.set.first_part + part], current.level + 1});
      }
    } else {
      cut_evenly(current, arity, sets);
    }
    child_counts.push_back(static_cast<std::uint32_t>(sets.size() - before));
  }
  return {std::move(child_counts), std::move(leaf_classes)};
}

}  // namespace cane
