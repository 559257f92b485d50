// Hands the rows of a dataset to a learner on a device: all of them before the first step, or batch
// by batch into the buffers of the learner, so that data larger than the memory of the device
// streams through it. For an encoder dense rows become sparse ones, with every feature.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "device/learner.h"

namespace cane {

/// The most values that any `batch` examples have together.
std::uint64_t most_values(const DatasetView& data, std::size_t batch);

/// Bytes that keep_rows() needs for a while, unless a single row needs more.
inline constexpr std::uint64_t kKeptAtOnce = std::uint64_t{64} << 20;

/// Copies all examples to the device.
void keep_rows(device::Learner& learner, const device::LearnerSpec& spec, const DatasetView& data,
               ThreadPool& pool);

/// Fills a buffer of the learner with the rows of these examples, or with where those that the
/// device keeps begin in the batch.
void fill_rows(const device::LearnerSpec& spec, const DatasetView& data,
               std::span<const std::uint32_t> examples, const device::BatchBuffer& buffer,
               ThreadPool& pool);

}  // namespace cane
