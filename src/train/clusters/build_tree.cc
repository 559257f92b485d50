#include "train/clusters/build_tree.h"

#include <fmt/format.h>

#include <filesystem>

#include "cane/error.h"
#include "cane/tree.h"
#include "core/base/bad_line.h"
#include "core/tree/balanced_tree.h"
#include "core/tree/huffman_tree.h"
#include "core/tree/tree_file.h"
#include "train/clusters/recursive_clusters.h"
#include "train/clusters/shared_centres.h"

namespace cane {

ClassTree build_tree(const std::string& kind, const DatasetView& data,
                     std::span<const std::string> labels, std::uint32_t arity, std::uint64_t seed,
                     const RunContext& context) {
  ThreadPool& pool = context.pool();
  Communicator& ranks = context.ranks();
  const auto classes = static_cast<std::uint32_t>(labels.size());
  if (kind == "balanced") return balanced_tree(class_order(classes), arity);
  if (kind == "random") return balanced_tree(random_order(classes, seed), arity);
  if (kind == "clustered") {
    if (arity < 2 || classes <= arity) return balanced_tree(class_order(classes), arity);
    return balanced_tree(
        clustered_order(shared_centres(data, classes, pool, ranks), arity, seed, pool), arity);
  }
  if (kind == "kmeans") {
    check_arity(arity);
    check_class_count(classes);
    return kmeans_tree(shared_centres(data, classes, pool, ranks), arity, seed, pool);
  }
  if (kind == "huffman") return huffman_tree(shared_class_counts(data, classes, ranks));
  if (!std::filesystem::exists(kind)) {
    throw OptionError("tree", fmt::format("{} is no kind of tree and no file", in_quotes(kind)),
                      fmt::format("it takes {}", kTreeKinds));
  }
  return read_tree_file(kind, labels);
}

}  // namespace cane
