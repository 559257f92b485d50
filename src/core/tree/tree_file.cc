#include "core/tree/tree_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/atomic_file.h"
#include "core/file/mapped_file.h"

namespace cane {
namespace {

constexpr std::string_view kTreeMagic = "cane-tree ";
constexpr std::string_view kVersion = "1";

// The content of one line: a node's depth and, for a leaf, its label.
struct NodeLine {
  std::uint32_t depth;
  bool is_leaf;
  std::string_view label;
};

void add_line(const NodeLine& node, std::string& text) {
  text += node.is_leaf ? fmt::format("{}\t{}\n", node.depth, node.label)
                       : fmt::format("{}\n", node.depth);
}

/// Null if the line does not begin with a depth. Leading blanks must already be removed.
std::optional<NodeLine> parse_line(std::string_view line) {
  NodeLine node{};
  const char* const end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data(), end, node.depth);
  if (error != std::errc{} || (rest != end && *rest != '\t' && *rest != ' ')) return std::nullopt;
  node.is_leaf = rest != end;
  if (node.is_leaf) node.label = {rest + 1, static_cast<std::size_t>(end - rest - 1)};
  return node;
}

class TreeFileReader {
 public:
  TreeFileReader(const std::string& path, std::span<const std::string> labels)
      : path_(path), labels_(labels), class_lines_(labels.size(), 0) {
    classes_.reserve(labels.size());
    for (std::size_t label = 0; label < labels.size(); ++label) {
      classes_.emplace(labels[label], static_cast<ClassId>(label));
    }
  }

  ClassTree read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (line_ == 1) {
        check_first_line(line);
      } else {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (!line.empty() && line.front() != '#') add(parse(line));
      }
    }
    if (line_ == 0) check_first_line({});
    close_to(0);
    check_complete();
    return level_order();
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view what) const {
    throw Error(fmt::format("{}:{}: {}", path_, line, what));
  }

  void check_first_line(std::string_view line) const {
    if (!line.starts_with(kTreeMagic)) {
      fail(1, "not a tree file; its first line must be 'cane-tree 1'");
    }
    if (line.substr(kTreeMagic.size()) != kVersion) {
      fail(1, fmt::format("version {} of the tree format is unknown; this program reads version {}",
                          shown(line.substr(kTreeMagic.size())), kVersion));
    }
  }

  NodeLine parse(std::string_view line) const {
    const auto node = parse_line(line);
    if (!node) fail(line_, "no depth; a line is a depth, and for a leaf a tab and the label");
    return *node;
  }

  void check_depth(std::uint32_t depth) const {
    if (depths_.empty()) {
      if (depth != 0) fail(line_, "the first node is the root; give it depth 0");
    } else if (depth == 0) {
      fail(line_, "a second root; give every node but the first a depth of 1 or more");
    } else if (open_.empty()) {
      fail(line_, "a node below a leaf; write the root as its depth alone");
    } else if (depth > open_.size()) {
      fail(line_,
           fmt::format("depth {} where {} is the deepest there can be; a child is one deeper "
                       "than its parent",
                       depth, open_.size()));
    }
  }

  void add(const NodeLine& node) {
    check_depth(node.depth);
    close_to(node.depth);
    if (!open_.empty()) ++child_counts_[open_.back().node];
    if (node.is_leaf) {
      leaf_classes_.push_back(take_class(node.label));
    } else {
      leaf_classes_.push_back(kUnknownClass);
      open_.push_back({child_counts_.size(), line_});
    }
    depths_.push_back(node.depth);
    child_counts_.push_back(0);
  }

  // Closes the inner nodes that are not ancestors of a node at `depth`.
  void close_to(std::uint32_t depth) {
    while (open_.size() > depth) {
      const auto [node, line] = open_.back();
      if (child_counts_[node] < 2) {
        fail(line, fmt::format("an inner node with {} of the 2 or more children it needs; write a "
                               "leaf as a depth, a tab and the label",
                               child_counts_[node]));
      }
      open_.pop_back();
    }
  }

  ClassId take_class(std::string_view label) {
    const auto found = classes_.find(label);
    if (found == classes_.end()) {
      fail(line_,
           fmt::format("label {} is not in the data; remove it from the tree", in_quotes(label)));
    }
    std::size_t& first_line = class_lines_[found->second];
    if (first_line != 0) {
      fail(line_, fmt::format("label {} again, first on line {}; give every label one leaf",
                              in_quotes(label), first_line));
    }
    first_line = line_;
    return found->second;
  }

  void check_complete() const {
    std::size_t missing = 0;
    std::size_t first = 0;
    for (std::size_t label = labels_.size(); label-- > 0;) {
      if (class_lines_[label] != 0) continue;
      ++missing;
      first = label;
    }
    if (missing > 0) {
      fail(line_, fmt::format("the file ends and {} of {} labels have no leaf, the first is {}; "
                              "add a leaf for each",
                              missing, labels_.size(), in_quotes(labels_[first])));
    }
  }

  // A stable sort of the preorder by depth gives level order.
  ClassTree level_order() const {
    std::vector<std::size_t> places;
    for (const std::uint32_t depth : depths_) {
      if (places.size() < depth + std::size_t{2}) places.resize(depth + std::size_t{2}, 0);
      ++places[depth + std::size_t{1}];
    }
    for (std::size_t depth = 1; depth < places.size(); ++depth) places[depth] += places[depth - 1];
    std::vector<std::uint32_t> child_counts(depths_.size());
    std::vector<ClassId> node_classes(depths_.size());
    for (std::size_t node = 0; node < depths_.size(); ++node) {
      const std::size_t place = places[depths_[node]]++;
      child_counts[place] = child_counts_[node];
      node_classes[place] = leaf_classes_[node];
    }
    std::erase(node_classes, kUnknownClass);
    return {std::move(child_counts), std::move(node_classes)};
  }

  struct OpenNode {
    std::size_t node;
    std::size_t line;
  };

  const std::string& path_;
  std::span<const std::string> labels_;
  std::unordered_map<std::string_view, ClassId> classes_;
  std::vector<std::size_t> class_lines_;  // line of each class; 0: not seen yet
  std::size_t line_ = 0;
  std::vector<OpenNode> open_;  // inner nodes above the next node
  std::vector<std::uint32_t> depths_;
  std::vector<std::uint32_t> child_counts_;
  std::vector<ClassId> leaf_classes_;
};

void check_label(const std::string& path, const std::string& label) {
  if (label.find('\n') == std::string::npos && !label.ends_with('\r')) return;
  throw Error(
      fmt::format("{}: the label {} holds a line break, which a tree file cannot express; "
                  "rename it in the data",
                  path, in_quotes(label)));
}

}  // namespace

ClassTree read_tree_file(const std::string& path, std::span<const std::string> labels) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return TreeFileReader(path, labels)
      .read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

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
      "{}{}\n# {} classes, {} inner nodes, depth {}. A node a line, parents before children: its "
      "depth; for a class a tab and the label.\n",
      kTreeMagic, kVersion, tree.class_count(), tree.node_count() - tree.class_count(),
      tree.depth());
  std::vector<Pending> pending = {{0, 0}};
  while (!pending.empty()) {
    const auto [node, depth] = pending.back();
    pending.pop_back();
    if (tree.is_leaf(node)) {
      const std::string& label = labels[tree.leaf_class(node)];
      check_label(path, label);
      add_line({depth, true, label}, text);
    } else {
      add_line({depth, false, {}}, text);
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
