// Builds a tree of classes from the name of its kind, as given by --tree.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/parallel/run_context.h"
#include "core/tree/class_tree.h"
#include "data/rows/dataset_view.h"

namespace cane {

/// kind: clustered (Alg. 4), kmeans (the clusters as they are), balanced (in the order of the
/// classes), random, huffman, or the path of a tree file. A Huffman tree is binary and a file's
/// tree is taken as it is, whatever the arity. labels[k] is the label of class k. Throws Error if
/// the number of classes is below 2, or an arity that is used. Ranks that share the data all call
/// it, and get the same tree.
ClassTree build_tree(const std::string& kind, const DatasetView& data,
                     std::span<const std::string> labels, std::uint32_t arity, std::uint64_t seed,
                     const RunContext& context);

}  // namespace cane
