// The balanced tree over a given left-to-right order of the classes (the last step of Alg. 4), and
// the orders that need no data. The tree is as flat as its arity allows: depth ceil(log_arity K),
// every inner node with at least two children, and full blocks of siblings at the bottom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/tree/class_tree.h"

namespace cane {

/// `order` holds the classes 0 .. K-1, each once. A node with n leaves that needs D more levels has
/// ceil(n / arity^(D-1)) children, whose numbers of leaves differ by at most one. So all leaves are
/// equally deep; only with arity 2 some are one level higher. Throws Error if arity or K is below
/// 2, or K above 2^31.
ClassTree balanced_tree(std::span<const ClassId> order, std::uint32_t arity);

/// 0 .. classes-1.
std::vector<ClassId> class_order(std::uint32_t classes);
/// A random permutation of them, a pure function of the seed.
std::vector<ClassId> random_order(std::uint32_t classes, std::uint64_t seed);

}  // namespace cane
