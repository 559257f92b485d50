// Writes a cache file while the rows are read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "data/cache/cache_layout.h"
#include "data/loaded_data.h"

namespace cane {

struct CacheShape {
  bool is_dense = false;
  bool has_weights = false;
  FeatureId dimension = 0;
  std::uint64_t num_examples = 0;
  std::uint64_t num_values = 0;  // upper bound
};

/// Writes a cache file incrementally: rows are appended in any number of calls, each section is
/// checksummed and written a stripe at a time, and the header comes last. If there are fewer values
/// than announced, the file has a gap, which takes no space on most file systems.
class CacheWriter {
 public:
  CacheWriter(AtomicFile& file, const CacheShape& shape, ThreadPool& pool);

  /// Appends the next rows, which must be contiguous in memory.
  void append(const DatasetView& rows);
  /// Call after all rows: writes the rest of the data and the header.
  void finish(const CacheOrigin& origin, const LoadedData& data);

 private:
  struct Section {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;               // so far
    std::vector<std::uint64_t> checksums;  // one per stripe
    std::vector<std::byte> rest;           // not yet written, less than a stripe
  };

  void place(CacheSection section, std::uint64_t most_bytes);
  void append(CacheSection section, std::span<const std::byte> bytes);
  void write_stripes(Section& section, std::span<const std::byte> stripes);
  void append_strings(CacheSection lengths, CacheSection bytes,
                      std::span<const std::string> strings);
  SectionEntry close(Section& section);

  AtomicFile& file_;
  CacheShape shape_;
  ThreadPool& pool_;
  std::array<Section, kSectionCount> sections_;
  std::uint64_t end_ = 0;
};

}  // namespace cane
