// The folder that both programs keep parsed files in: what is there, and the limit on its size. The
// caches used longest ago go first. A cache that another process has mapped may be removed: the
// system keeps its content until it is released.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cane {

/// Makes the folder, and those above it, for this user alone. Throws Error if that fails.
void make_cache_folder(const std::string& folder);

/// The mode of a cache: who may read the source, and nobody else, may read it.
mode_t mode_of_cache(const std::string& source);

/// The endings of cache files, and nothing else in the folder is ever touched.
inline constexpr const char* kDataCacheEnding = ".cane-cache";
inline constexpr const char* kTokenCacheEnding = ".cane-tokens";

struct CachedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // when it was last written or read, in ns since 1970
};

/// All caches in the folder, those used last first; empty if there is no folder.
std::vector<CachedFile> caches_in(const std::string& folder);

/// Notes that a cache was used now. Failing is not an error.
void mark_used(const std::string& path);

/// Removes the caches used longest ago, until the others take `limit` bytes or less; `keep` stays
/// in any case. Also removes temporary files whose writers are gone. Returns what was removed.
std::vector<CachedFile> trim_caches(const std::string& folder, std::uint64_t limit,
                                    const std::string& keep = "");

/// "500M", "20G", or a number of bytes; K, M, G and T are powers of 1024. Throws Error that begins
/// with `name`.
std::uint64_t parse_bytes(const std::string& name, const std::string& text);

/// The limit that CANE_CACHE_LIMIT sets, else 10 GiB. An Error names the variable if it does not
/// fit.
std::uint64_t cache_limit();

}  // namespace cane
