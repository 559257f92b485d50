// The binary Huffman tree of the classes (Huffman 1952): no binary tree has a shorter mean path
// when classes come as often as counted. Frequent classes are near the root; with very uneven
// counts the depth can reach K - 1.
#pragma once

#include <span>

#include "core/tree/class_tree.h"

namespace cane {

/// counts[k] is the frequency or weight of class k, 0 or more. Of two siblings the more frequent is
/// the first. Of two classes the more frequent, or if equal the lower, is at most as deep as the
/// other; and of all trees with the shortest mean path this is one of the least depth. Throws Error
/// if K is below 2 or above 2^31.
ClassTree huffman_tree(std::span<const double> counts);

}  // namespace cane
