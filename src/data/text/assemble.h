// Assembles parsed blocks into the final arrays of a dataset. Each block is processed
// independently, so the result does not depend on the number of threads.
#pragma once

#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "data/text/featurizer.h"
#include "data/text/parsed_block.h"

namespace cane {

/// Properties shared by all blocks of a text, which need not be assembled all at once.
struct RowLayout {
  bool is_dense = false;     // rows are stored dense
  bool has_weights = false;  // there is a column of weights
};

struct AssembledRows {
  DatasetView view;
  std::shared_ptr<const void> storage;  // what `view` points to
  FinishedCounts counts;
};

/// Finishes the blocks and joins their rows, in order. Frees their memory as it goes.
AssembledRows assemble(std::vector<ParsedBlock> blocks, const NumberMap& map,
                       const RowLayout& layout, ThreadPool& pool);

}  // namespace cane
