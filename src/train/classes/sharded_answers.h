// The best classes for every row of some data, found by all ranks together, as for the shortlists
// of training.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "data/rows/dataset_view.h"
#include "linear/encoders/encoder.h"
#include "train/classes/sharded_search.h"

namespace cane {

/// Calls each(example, classes) for every example in order, on every rank; the classes are best
/// first, as many as the rules of the search ask for. `encoder` may be null. The search must have
/// been made over the same weights; `batch` rows are searched at a time. All ranks call it.
void find_answers(
    ShardedSearch& search, const DatasetView& data, const Encoder* encoder, bool wants_dense,
    std::size_t batch,
    const std::function<void(std::size_t example, std::span<const ClassId> classes)>& each);

}  // namespace cane
