// An order of the examples that depends on what they are alone, so that training does not depend on
// the order in which they came, nor on whether an example came twice or counts twice.
#pragma once

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"

namespace cane {

/// See Dataset::canonical().
LoadedData canonical_order(const LoadedData& data, ThreadPool& pool);

}  // namespace cane
