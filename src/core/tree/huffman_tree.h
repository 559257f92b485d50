// The binary Huffman tree of the classes (Huffman 1952): no binary tree has a shorter mean path
// under the given class counts. Frequent classes are near the root; with very skewed counts the
// depth can reach K - 1.
#pragma once

#include <span>

#include "core/tree/class_tree.h"

namespace cane {

/// counts[k] is the frequency or weight of class k, 0 or more. The more frequent of two siblings
/// comes first. A class is at most as deep as any less frequent class, or any higher class of the
/// same frequency. Among all trees with the shortest mean path, this one has minimal depth. Throws
/// Error if K is below 2 or above 2^31.
ClassTree huffman_tree(std::span<const double> counts);

}  // namespace cane
