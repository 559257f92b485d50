// A cache file: a header, then sections aligned to 64 bytes, so that the arrays can be used in
// place. The header and each section have their own checksum. Numbers are in native byte order; on
// a machine with another order the version does not match and the cache is rebuilt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/base/thread_pool.h"
#include "core/file/cache_source.h"

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

/// Offsets of sections are multiples of the alignment.
constexpr std::uint64_t aligned(std::uint64_t offset) {
  return (offset + CacheHeader::kAlignment - 1) / CacheHeader::kAlignment * CacheHeader::kAlignment;
}

std::uint64_t stripe_checksum(std::span<const std::byte> stripe);

/// Checksum of a section of this many bytes, from the checksums of its stripes.
std::uint64_t checksum_of_stripes(std::span<const std::uint64_t> checksums, std::uint64_t bytes);

/// Checksum of a section. Stripes are processed in parallel; the result is the same for any number
/// of threads. `drops_pages`: the bytes are mapped from a file, and their pages may be dropped
/// after use.
std::uint64_t section_checksum(std::span<const std::byte> bytes, ThreadPool& pool,
                               bool drops_pages = false);

/// The header fields, shared by reader and writer: field(slot, member).
template <typename Vocabulary, typename Report, typename Field>
void describe_header(CacheHeader& header, Vocabulary& vocabulary, Report& report, Field field) {
  field(header.feature_kind, vocabulary.feature_kind);
  field(header.dimension, vocabulary.dimension);
  field(header.hash_bits, vocabulary.hash_bits);
  field(header.word_ngrams, vocabulary.ngrams.words);
  field(header.shortest_char_ngram, vocabulary.ngrams.characters.min);
  field(header.longest_char_ngram, vocabulary.ngrams.characters.max);
  field(header.ngram_bits, vocabulary.ngrams.bits);
  field(header.tokenizer, vocabulary.tokenizer);
  field(header.weights, vocabulary.weights);
  field(header.normalize, vocabulary.normalize);
  field(header.multi_label, vocabulary.multi_label);
  field(header.skipped_lines, report.skipped_lines);
  field(header.unseen_labels, report.unseen_labels);
  field(header.ignored_features, report.ignored_features);
}

/// The string tables, shared by both: strings(lengths, bytes, member). `messages` belong to the
/// report: the first skipped line, notes, warnings, the labels that training never saw.
template <typename Vocabulary, typename Strings, typename Action>
bool describe_names(Vocabulary& vocabulary, Strings& messages, Strings& columns, Action strings) {
  return strings(kLabelLengths, kLabelBytes, vocabulary.labels) &&
         strings(kWordLengths, kWordBytes, vocabulary.words) &&
         strings(kReportLengths, kReportBytes, messages) &&
         strings(kColumnLengths, kColumnBytes, columns);
}

}  // namespace cane
