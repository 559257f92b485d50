// Class trees: build, measure, write, read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cane/context.h"
#include "cane/dataset.h"

namespace cane {

class ClassTree;

/// The kinds of tree that Tree::build accepts.
inline constexpr const char* kTreeKinds = "clustered|kmeans|balanced|random|huffman|FILE";

struct TreeStatistics {
  std::uint32_t classes = 0;
  std::uint32_t nodes = 0;  // inner nodes
  std::uint32_t arity = 0;  // maximum number of children of a node
  std::uint32_t depth = 0;
  double mean_depth = 0.0;  // over the classes
  double balance = 0.0;     // shortest possible mean depth at this arity over mean_depth: 1 is best
  std::vector<std::uint32_t> nodes_by_level;
};

class Tree {
 public:
  /// kind: one of kTreeKinds, with FILE replaced by the path of a tree file. The arity is the
  /// maximum number of children of a node in clustered, kmeans, balanced and random trees; other
  /// kinds ignore it. Ranks that share the data all call it, and get the same tree.
  static Tree build(const std::string& kind, const Dataset& data, std::uint32_t arity,
                    std::uint64_t seed, int threads = 0, const Context& context = {});
  /// Reads and writes the text format of docs/file-formats.md. It contains labels, so any program
  /// can produce it.
  static Tree read(const std::string& path, const std::vector<std::string>& labels);
  void write(const std::string& path, const std::vector<std::string>& labels) const;

  TreeStatistics statistics() const;

  /// For the library's own use.
  const ClassTree& data() const { return *data_; }
  explicit Tree(std::shared_ptr<const ClassTree> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const ClassTree> data_;
};

}  // namespace cane
