// Class centres and class counts of data that ranks share, equal to the bit to those of one
// process: every class is summed in the order of the examples, by one rank, which gets the rows of
// the class from all others. Classes go in groups, so that a rank holds the rows of one group at a
// time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "train/clusters/class_centres.h"

namespace cane {

/// The centres of all classes, on every rank. `data` is this rank's part; a rank gets about
/// `group_bytes` of rows at a time. All ranks call it.
ClassCentres shared_centres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool,
                            Communicator& ranks,
                            std::uint64_t group_bytes = std::uint64_t{128} << 20);

/// class_counts() over the parts of all ranks. All ranks call it.
std::vector<double> shared_class_counts(const DatasetView& data, std::uint32_t classes,
                                        Communicator& ranks);

}  // namespace cane
