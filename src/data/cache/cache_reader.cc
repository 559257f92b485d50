#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/file/mapped_file.h"
#include "data/cache/cache_file.h"
#include "data/cache/cache_layout.h"
#include "data/rows/columns.h"

namespace cane {
namespace {

class CacheReader {
 public:
  CacheReader(const std::string& path, ThreadPool& pool)
      : file_(std::make_shared<const MappedFile>(path)),
        pool_(pool),
        lets_go_(is_large(file_->bytes().size())) {
    if (lets_go_) avoid_large_pages(file_->bytes());
  }

  std::optional<LoadedData> read(const CacheOrigin& origin) {
    if (!read_header(origin)) return std::nullopt;
    LoadedData data;
    std::vector<std::string> messages;
    const bool intact = unpack(kLabelLengths, kLabelBytes, data.vocabulary.labels) &&
                        unpack(kWordLengths, kWordBytes, data.vocabulary.words) &&
                        unpack(kReportLengths, kReportBytes, messages) && !messages.empty();
    const Columns columns = read_columns();
    if (!intact || !are_valid(columns, data.vocabulary.labels.size())) return std::nullopt;
    data.view = columns.view();
    data.vocabulary.feature_kind = static_cast<FeatureKind>(header_.feature_kind);
    data.vocabulary.hash_bits = static_cast<std::uint32_t>(header_.hash_bits);
    data.vocabulary.ngrams = {static_cast<std::uint32_t>(header_.word_ngrams),
                              {static_cast<std::uint32_t>(header_.shortest_char_ngram),
                               static_cast<std::uint32_t>(header_.longest_char_ngram)},
                              static_cast<std::uint32_t>(header_.ngram_bits)};
    data.vocabulary.dimension = columns.dimension;
    data.vocabulary.normalize = static_cast<Normalize>(header_.normalize);
    data.report.skipped_lines = header_.skipped_lines;
    data.report.unseen_labels = header_.unseen_labels;
    data.report.ignored_features = header_.ignored_features;
    data.report.first_skipped = messages.front();
    data.report.unseen_label_names.assign(messages.begin() + 1, messages.end());
    data.report.from_cache = true;
    data.storage = file_;
    return data;
  }

 private:
  // True if every byte that counts is there and as it was written.
  bool read_header(const CacheOrigin& origin) {
    const std::span<const std::byte> bytes = file_->bytes();
    if (bytes.size() < sizeof header_) return false;
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_.magic != CacheHeader::kMagic || header_.version != CacheHeader::kVersion ||
        header_.checksum != header_.computed_checksum() || header_.origin != origin) {
      return false;
    }
    std::uint64_t expected = aligned(sizeof header_);
    for (const SectionEntry& section : header_.sections) {
      if (section.offset < expected || section.offset != aligned(section.offset) ||
          section.offset > bytes.size() || section.bytes > bytes.size() - section.offset) {
        return false;
      }
      expected = aligned(section.offset + section.bytes);
    }
    if (bytes.size() != expected) return false;
    return std::all_of(std::begin(header_.sections), std::end(header_.sections),
                       [&](const SectionEntry& section) {
                         const auto content = bytes.subspan(section.offset, section.bytes);
                         return parallel_checksum(content, pool_, lets_go_) == section.checksum;
                       });
  }

  template <typename Element>
  std::span<const Element> section(CacheSection section) const {
    const SectionEntry& entry = header_.sections[section];
    return {reinterpret_cast<const Element*>(file_->bytes().data() + entry.offset),
            entry.bytes / sizeof(Element)};
  }

  bool unpack(CacheSection lengths, CacheSection bytes, std::vector<std::string>& strings) const {
    std::span<const char> rest = section<char>(bytes);
    const auto sizes = section<std::uint32_t>(lengths);
    strings.reserve(sizes.size());
    for (const std::uint32_t size : sizes) {
      if (size > rest.size()) return false;
      strings.emplace_back(rest.data(), size);
      rest = rest.subspan(size);
    }
    return rest.empty();
  }

  Columns read_columns() const {
    Columns columns;
    columns.dense = header_.dense != 0;
    columns.mapped = true;
    columns.dimension = static_cast<FeatureId>(header_.dimension);
    columns.offsets = section<std::uint64_t>(kOffsets);
    columns.indices = section<FeatureId>(kIndices);
    columns.values = section<float>(kValues);
    columns.classes = section<ClassId>(kClasses);
    columns.weights = section<float>(kWeights);
    return columns;
  }

  // The checksums say that we wrote it; this says that nothing in it can lead outside.
  bool are_valid(const Columns& columns, std::size_t class_count) const {
    const std::size_t examples = columns.classes.size();
    const bool classes_fit =
        std::all_of(columns.classes.begin(), columns.classes.end(),
                    [&](ClassId id) { return id == kUnknownClass || id < class_count; });
    if (examples == 0 || !classes_fit) return false;
    if (!columns.weights.empty() && columns.weights.size() != examples) return false;
    if (columns.dense) return columns.values.size() == examples * columns.dimension;
    return columns.offsets.size() == examples + 1 && columns.offsets.front() == 0 &&
           columns.offsets.back() == columns.indices.size() &&
           columns.values.size() == columns.indices.size() &&
           std::is_sorted(columns.offsets.begin(), columns.offsets.end()) && rows_fit(columns);
  }

  bool rows_fit(const Columns& columns) const {
    constexpr std::size_t kStripe = std::size_t{1} << 16;
    const std::size_t examples = columns.classes.size();
    std::atomic<bool> fit = true;
    pool_.run((examples + kStripe - 1) / kStripe, [&](std::size_t stripe, int) {
      const std::size_t end = std::min(examples, (stripe + 1) * kStripe);
      for (std::size_t row = stripe * kStripe; row < end; ++row) {
        std::uint64_t lowest = 0;
        for (std::uint64_t i = columns.offsets[row]; i < columns.offsets[row + 1]; ++i) {
          if (columns.indices[i] < lowest || columns.indices[i] >= columns.dimension) fit = false;
          lowest = std::uint64_t{columns.indices[i]} + 1;
        }
      }
      if (lets_go_) columns.view().drop_rows(stripe * kStripe, end);
    });
    return fit;
  }

  std::shared_ptr<const MappedFile> file_;
  ThreadPool& pool_;
  bool lets_go_;
  CacheHeader header_;
};

}  // namespace

std::optional<LoadedData> read_cache_file(const std::string& path, const CacheOrigin& origin,
                                          ThreadPool& pool) {
  return CacheReader(path, pool).read(origin);
}

}  // namespace cane
