#include <fmt/format.h>

#include <cassert>
#include <cstddef>
#include <iterator>
#include <vector>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/tree/tree_file.h"

namespace cane {
namespace {

void check_label(const std::string& path, const std::string& label) {
  if (label.find('\n') == std::string::npos && !label.ends_with('\r')) return;
  throw Error(
      fmt::format("{}: the label '{}' holds a line break, which a tree file cannot express; "
                  "rename it in the data",
                  path, label));
}

}  // namespace

void write_tree_file(const std::string& path, const ClassTree& tree,
                     std::span<const std::string> labels) {
  constexpr std::size_t kBufferSize = std::size_t{1} << 20;
  assert(labels.size() == tree.class_count());
  struct Pending {
    NodeId node;
    std::uint32_t depth;
  };
  AtomicFile file(path);
  std::string text = fmt::format(
      "cane-tree 1\n# {} classes, {} inner nodes, depth {}. A node a line, parents before "
      "children: its depth; for a class a tab and the label.\n",
      tree.class_count(), tree.node_count() - tree.class_count(), tree.depth());
  std::vector<Pending> pending = {{0, 0}};
  while (!pending.empty()) {
    const auto [node, depth] = pending.back();
    pending.pop_back();
    if (tree.is_leaf(node)) {
      const std::string& label = labels[tree.leaf_class(node)];
      check_label(path, label);
      text += fmt::format("{}\t{}\n", depth, label);
    } else {
      text += fmt::format("{}\n", depth);
    }
    for (std::uint32_t child = tree.child_count(node); child-- > 0;) {
      pending.push_back({tree.first_child(node) + child, depth + 1});
    }
    if (text.size() >= kBufferSize || pending.empty()) {
      file.write(text);
      text.clear();
    }
  }
  file.commit();
}

}  // namespace cane
