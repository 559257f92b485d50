// Class means as initial weights: s_k = x . mu_k - |mu_k|^2 / 2, the nearest-centre classifier. In
// a tree the edges telescope: the score of a node is that of the mean of the classes below it minus
// that of the mean of all classes. So the first beam is already a search for the nearest centre,
// and path sums are the scores of the classes up to a common constant. A softmax also needs a
// scale, how much more likely the nearer centre is, and where classes are not equally frequent the
// log of their frequencies.
#pragma once

#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "core/base/thread_pool.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"
#include "step/whitening.h"

namespace cane {

/// The functions set `weights`, which must be zero, from the centre of every class.
void set_flat_means(std::span<const RowView> centres, const BlockLayout& layout, float* weights);
/// The same by whitened products, in a row-major table: (x - m) . P (mu_k - m) less half of
/// (mu_k - m) . P (mu_k - m), which is linear discriminant analysis.
void set_whitened_means(std::span<const RowView> centres, const Whitening& whitening,
                        const BlockLayout& layout, ThreadPool& pool, float* weights);
void set_tree_means(std::span<const RowView> centres, const ClassTree& tree,
                    const BlockLayout& layout, float* weights);

/// The log of the frequency of each class, relative to that of a class of mean frequency. `counts`:
/// the weight of its examples; a class without any counts as half an example.
std::vector<float> log_frequencies(std::span<const double> counts);

/// Adds a number to the score of every class.
void add_to_biases(std::span<const float> values, const BlockLayout& layout, float* weights);
/// Adds the log of the frequency of every class to its score.
void add_tree_frequencies(std::span<const double> counts, const ClassTree& tree,
                          const BlockLayout& layout, float* weights);

}  // namespace cane
