// Reads a dense NumPy matrix, X.npy, with its labels. The matrix stays in the mapped file; rows are
// converted and normalised when they are read.
#pragma once

#include <string>

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"

namespace cane {

/// As load_data.
LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool);

}  // namespace cane
