// The layout of a cache file: a header, then sections at multiples of 64 bytes, so that the arrays
// can be used where they lie. Header and sections have checksums of their own. Numbers are in the
// machine's byte order; on another machine the version reads differently and the cache is rebuilt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"

namespace cane {

/// What a cache must have been made from.
struct CacheOrigin {
  std::uint64_t key = 0;
  std::uint64_t source_bytes = 0;
  std::int64_t source_time = 0;
  bool operator==(const CacheOrigin&) const = default;
};

/// None if the file is of another origin or version, cut off or damaged in any way. Throws Error if
/// there is no file.
std::optional<LoadedData> read_cache_file(const std::string& path, const CacheOrigin& origin,
                                          ThreadPool& pool);

}  // namespace cane
