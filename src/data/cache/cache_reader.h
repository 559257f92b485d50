// Reads a cache file, which stays mapped as long as the data is used.
#pragma once

#include <memory>
#include <optional>

#include "core/base/thread_pool.h"
#include "core/file/mapped_file.h"
#include "data/cache/cache_layout.h"
#include "data/loaded_data.h"

namespace cane {

/// Returns nothing if the file has another origin or version, or is truncated or damaged.
std::optional<LoadedData> read_cache_file(std::shared_ptr<const MappedFile> file,
                                          const CacheOrigin& origin, ThreadPool& pool);

}  // namespace cane
