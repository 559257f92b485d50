// A start better than zero: every class begins as its mean, s_k = tau (x . mu_k - |mu_k|^2 / 2),
// which is the nearest-centre classifier. In a tree the edges telescope: the score of every node is
// that of the mean of the classes below it, so the first beam is already a search for the nearest
// centre, and path sums are exactly the scores of the classes.
#pragma once

#include "base/thread_pool.h"
#include "data/dataset_view.h"
#include "learn/shortlist_batch.h"
#include "model/block_layout.h"
#include "tree/class_tree.h"

namespace cane {

/// Sets `weights`, all zero before, for tau = 1.
void set_class_means(const DatasetView& data, const ClassTree& tree, const BlockLayout& layout,
                     ThreadPool& pool, float* weights);

/// The tau with the least loss on a sample of the data, for weights that stand for tau = 1. Scores
/// are linear in tau, so the candidates are the same for every tau and are searched once.
float best_scale(const MethodParts& parts, std::uint64_t seed);

}  // namespace cane
