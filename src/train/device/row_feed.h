// Hands the rows of a dataset to a learner on a device: all of them at once, or batch by batch into
// the buffers of the learner, so that data larger than the memory of the device streams through it.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "device/learner.h"

namespace cane {

/// Bytes that keep_rows() needs for a while: 0 if the rows are used where they lie.
std::uint64_t bytes_to_keep(const DatasetView& data);

/// Copies all examples to the device.
void keep_rows(device::Learner& learner, const DatasetView& data, ThreadPool& pool);

/// Fills the learner's next buffer with these examples.
void fill_buffer(device::Learner& learner, const DatasetView& data,
                 std::span<const std::uint32_t> examples, ThreadPool& pool);

}  // namespace cane
