// A cache file: a header, then sections aligned to 64 bytes, so that the arrays can be used in
// place. The header and each section have their own checksum. Numbers are in native byte order; on
// a machine with another order the version does not match and the cache is rebuilt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "core/file/cache_source.h"
#include "core/file/mapped_file.h"
#include "data/loaded_data.h"

namespace cane {

/// Identifies the source that a cache must have been made from.
struct CacheOrigin {
  std::uint64_t key = 0;
  FileStamp source;
  bool operator==(const CacheOrigin&) const = default;
};

enum CacheSection : std::size_t {
  kOffsets,
  kIndices,
  kValues,
  kClasses,
  kWeights,
  kLabelLengths,
  kLabelBytes,
  kWordLengths,
  kWordBytes,
  kReportLengths,
  kReportBytes,
  kColumnLengths,
  kColumnBytes,
  kFactors,
  kNgramHashes,
  kGaps,
  kSectionCount
};

struct SectionEntry {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct CacheHeader {
  static constexpr std::uint64_t kMagic = 0x6568'6361'635F'6E63;
  static constexpr std::uint64_t kVersion = 8;
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kStripe = std::size_t{1} << 22;

  std::uint64_t magic = kMagic;
  std::uint64_t version = kVersion;
  std::uint64_t checksum = 0;  // of the rest of the header
  CacheOrigin origin;
  std::uint64_t dense = 0;
  std::uint64_t dimension = 0;
  std::uint64_t feature_kind = 0;
  std::uint64_t hash_bits = 0;
  std::uint64_t word_ngrams = 0;
  std::uint64_t shortest_char_ngram = 0;
  std::uint64_t longest_char_ngram = 0;
  std::uint64_t ngram_bits = 0;
  std::uint64_t tokenizer = 0;
  std::uint64_t weights = 0;
  std::uint64_t normalize = 0;
  std::uint64_t multi_label = 0;
  std::uint64_t skipped_lines = 0;
  std::uint64_t unseen_labels = 0;
  std::uint64_t ignored_features = 0;
  std::uint64_t notes = 0;  // how many of the report's strings are notes
  std::uint64_t warnings = 0;
  SectionEntry sections[kSectionCount];

  std::uint64_t computed_checksum() const;
};
static_assert(std::is_trivially_copyable_v<CacheHeader>);
static_assert(std::has_unique_object_representations_v<CacheHeader>, "no padding to write");

/// Checksum of a section. Stripes are processed in parallel; the result is the same for any number
/// of threads. `drops_pages`: the bytes are mapped from a file, and their pages may be dropped
/// after use.
std::uint64_t section_checksum(std::span<const std::byte> bytes, ThreadPool& pool,
                               bool drops_pages = false);

/// Returns nothing if the file has another origin or version, or is truncated or damaged.
std::optional<LoadedData> read_cache_file(std::shared_ptr<const MappedFile> file,
                                          const CacheOrigin& origin, ThreadPool& pool);

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
