// Class trees as text, one node per line in preorder: its depth and, for a leaf, a tab and the
// label (docs/file-formats.md). Any program can write such a file, and labels may contain blanks.
#pragma once

#include <span>
#include <string>

#include "core/tree/class_tree.h"

namespace cane {

/// labels[k] is the label of class k; labels must be distinct. Throws Error, "file:line: what is
/// wrong; what to do", unless the file is a tree with each label at exactly one leaf.
ClassTree read_tree_file(const std::string& path, std::span<const std::string> labels);

/// Throws Error if a label contains a line break, which the format cannot represent.
void write_tree_file(const std::string& path, const ClassTree& tree,
                     std::span<const std::string> labels);

}  // namespace cane
