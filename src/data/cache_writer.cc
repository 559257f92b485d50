#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "data/cache_file.h"
#include "data/cache_layout.h"

namespace cane {
namespace {

struct PackedStrings {
  std::vector<std::uint32_t> lengths;
  std::string bytes;

  explicit PackedStrings(const std::vector<std::string>& strings) {
    for (const std::string& text : strings) {
      lengths.push_back(static_cast<std::uint32_t>(text.size()));
      bytes += text;
    }
  }
};

template <typename Range>
std::span<const std::byte> bytes_of(const Range& range) {
  return std::as_bytes(std::span(range));
}

}  // namespace

void write_cache_file(AtomicFile& file, const CacheOrigin& origin, const LoadedText& text,
                      ThreadPool& pool) {
  const Columns& columns = text.columns;
  const Vocabulary& vocabulary = text.data.vocabulary;
  const ReadReport& report = text.data.report;
  std::vector<std::string> messages = report.unseen_label_names;
  messages.insert(messages.begin(), report.first_skipped);
  const PackedStrings labels(vocabulary.labels);
  const PackedStrings words(vocabulary.words);
  const PackedStrings report_text(messages);
  const std::array<std::span<const std::byte>, kSectionCount> contents = {
      bytes_of(columns.offsets),     bytes_of(columns.indices),   bytes_of(columns.values),
      bytes_of(columns.classes),     bytes_of(columns.weights),   bytes_of(labels.lengths),
      bytes_of(labels.bytes),        bytes_of(words.lengths),     bytes_of(words.bytes),
      bytes_of(report_text.lengths), bytes_of(report_text.bytes),
  };

  CacheHeader header;
  header.origin = origin;
  header.dense = columns.dense ? 1 : 0;
  header.dimension = columns.dimension;
  header.feature_kind = static_cast<std::uint64_t>(vocabulary.feature_kind);
  header.hash_bits = vocabulary.hash_bits;
  header.normalize = static_cast<std::uint64_t>(vocabulary.normalize);
  header.skipped_lines = report.skipped_lines;
  header.unseen_labels = report.unseen_labels;
  header.ignored_features = report.ignored_features;
  std::uint64_t offset = aligned(sizeof header);
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    header.sections[i] = {offset, contents[i].size(), parallel_checksum(contents[i], pool)};
    offset = aligned(offset + contents[i].size());
  }
  header.checksum = header.computed_checksum();

  constexpr std::array<std::byte, CacheHeader::kAlignment> kPadding{};
  const auto write_aligned = [&](std::span<const std::byte> bytes) {
    file.write(bytes);
    file.write(std::span(kPadding).first(aligned(bytes.size()) - bytes.size()));
  };
  write_aligned(std::as_bytes(std::span(&header, 1)));
  for (const auto& content : contents) write_aligned(content);
}

}  // namespace cane
