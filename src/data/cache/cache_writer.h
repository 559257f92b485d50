// Writes a cache file piece by piece: rows come in any number of stretches, each section is summed
// up and written a stripe at a time, the header last. Where fewer values come than announced the
// file has a gap, which takes no room on most disks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/file/atomic_file.h"
#include "data/cache/cache_layout.h"
#include "data/rows/columns.h"

namespace cane {

struct CacheShape {
  bool dense = false;
  bool weighted = false;
  FeatureId dimension = 0;
  std::uint64_t examples = 0;
  std::uint64_t values = 0;  // at most
};

class CacheWriter {
 public:
  CacheWriter(AtomicFile& file, const CacheShape& shape, ThreadPool& pool);

  /// The next rows; their offsets begin at 0.
  void append(const Columns& rows);
  /// After all rows: the names, and the header.
  void finish(const CacheOrigin& origin, const Vocabulary& vocabulary, const ReadReport& report);

 private:
  struct Section {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;               // so far
    std::vector<std::uint64_t> checksums;  // of the stripes
    std::vector<std::byte> rest;           // less than a stripe, not written yet
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
