// The balanced tree over a given left-to-right order of the classes (the last step of Alg. 4), and
// the orders that need no data. The tree is as shallow as its arity allows: depth ceil(log_arity
// K), at least two children per inner node, and full blocks of siblings at the bottom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/tree/class_tree.h"

namespace cane {

/// `order` holds each of the classes 0 .. K-1 once. A node with n leaves that needs D more levels
/// has ceil(n / arity^(D-1)) children, whose numbers of leaves differ by at most one. Hence all
/// leaves have the same depth, except that with arity 2 some are one level higher. Throws Error if
/// arity or K is below 2, or K is above 2^31.
ClassTree balanced_tree(std::span<const ClassId> order, std::uint32_t arity);

/// The classes in order: 0 .. classes-1.
std::vector<ClassId> class_order(std::uint32_t classes);
/// A random permutation of the classes, a pure function of the seed.
std::vector<ClassId> random_order(std::uint32_t classes, std::uint64_t seed);

}  // namespace cane
