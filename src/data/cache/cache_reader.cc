#include "data/cache/cache_reader.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/base/finite.h"
#include "core/base/memory.h"

namespace cane {
namespace {

class CacheReader {
 public:
  CacheReader(std::shared_ptr<const MappedFile> file, ThreadPool& pool)
      : file_(std::move(file)), pool_(pool), drops_pages_(is_large(file_->bytes().size())) {
    if (drops_pages_) avoid_large_pages(file_->bytes());
  }

  std::optional<LoadedData> read(const CacheOrigin& origin) {
    if (!read_header(origin)) return std::nullopt;
    LoadedData data;
    std::vector<std::string> messages;
    std::vector<std::string> columns;
    const bool is_intact =
        describe_names(
            data.vocabulary, messages, columns,
            [&](CacheSection lengths, CacheSection bytes, std::vector<std::string>& strings) {
              return unpack(lengths, bytes, strings);
            }) &&
        messages.size() > header_.notes && messages.size() - header_.notes > header_.warnings;
    if (!is_intact || !rows_are_valid(data.vocabulary.labels.size()) || !read_gaps(data.gaps)) {
      return std::nullopt;
    }
    const auto factors = section<float>(kFactors);
    data.vocabulary.factors.assign(factors.begin(), factors.end());
    const auto hashes = section<std::uint64_t>(kNgramHashes);
    data.vocabulary.ngram_hashes.assign(hashes.begin(), hashes.end());
    data.vocabulary.columns = columns_of_texts(columns);
    bool numbers_fit = true;
    describe_header(header_, data.vocabulary, data.report,
                    [&](const std::uint64_t& slot, auto& member) {
                      using Member = std::remove_reference_t<decltype(member)>;
                      member = static_cast<Member>(slot);
                      if constexpr (!std::is_enum_v<Member>) {
                        numbers_fit = numbers_fit && std::in_range<Member>(slot);
                      }
                    });
    if (!numbers_fit || header_.dense > 1 ||
        header_.feature_kind > static_cast<std::uint64_t>(FeatureKind::kHashedWords) ||
        header_.tokenizer > static_cast<std::uint64_t>(TokenizerKind::kAuto) ||
        header_.weights > static_cast<std::uint64_t>(FeatureWeights::kAuto) ||
        header_.normalize > static_cast<std::uint64_t>(Normalize::kAuto) ||
        header_.multi_label > static_cast<std::uint64_t>(MultiLabel::kAuto) ||
        validation_error(data.vocabulary) != nullptr) {
      return std::nullopt;
    }
    data.view = view();
    data.report.first_skipped = messages.front();
    const auto notes_end = messages.begin() + 1 + static_cast<std::ptrdiff_t>(header_.notes);
    const auto warnings_end = notes_end + static_cast<std::ptrdiff_t>(header_.warnings);
    data.report.notes.assign(messages.begin() + 1, notes_end);
    data.report.warnings.assign(notes_end, warnings_end);
    data.report.unseen_label_names.assign(warnings_end, messages.end());
    data.report.from_cache = true;
    data.storage = file_;
    return data;
  }

 private:
  // Returns true if every relevant byte is present and unchanged.
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
                         return section_checksum(content, pool_, drops_pages_) == section.checksum;
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

  /// An example and a kind in turn.
  bool read_gaps(std::vector<RowGap>& gaps) const {
    const auto numbers = section<std::uint64_t>(kGaps);
    for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
      const bool increases = gaps.empty() || numbers[i] > gaps.back().example;
      if (!increases || numbers[i] >= section<ClassId>(kClasses).size() ||
          numbers[i + 1] > static_cast<std::uint64_t>(GapKind::kEmpty)) {
        return false;
      }
      gaps.push_back({numbers[i], static_cast<GapKind>(numbers[i + 1])});
    }
    return numbers.size() % 2 == 0;
  }

  bool is_dense() const { return header_.dense != 0; }
  FeatureId dimension() const { return static_cast<FeatureId>(header_.dimension); }

  DatasetView view() const {
    const auto classes = section<ClassId>(kClasses);
    const auto weights = section<float>(kWeights);
    if (!is_dense()) {
      return {DatasetView::Sparse{.offsets = section<std::uint64_t>(kOffsets),
                                  .indices = section<FeatureId>(kIndices).data(),
                                  .values = section<float>(kValues).data(),
                                  .mapped = true},
              dimension(), classes, weights};
    }
    DatasetView::Dense matrix;
    matrix.matrix = section<std::byte>(kValues).data();
    matrix.mapped = true;
    return {matrix, dimension(), classes, weights};
  }

  // Checksums detect damage; this check ensures that no offset or index is out of bounds.
  bool rows_are_valid(std::size_t num_classes) const {
    const auto classes = section<ClassId>(kClasses);
    const std::size_t num_examples = classes.size();
    const bool classes_fit = std::all_of(classes.begin(), classes.end(), [&](ClassId id) {
      return id == kUnknownClass || id < num_classes;
    });
    if (!classes_fit) return false;
    const std::size_t num_weights = section<float>(kWeights).size();
    if (num_weights != 0 && num_weights != num_examples) return false;
    const auto weights = section<float>(kWeights);
    if (!std::all_of(weights.begin(), weights.end(), is_weight)) return false;
    const std::size_t num_values = section<float>(kValues).size();
    if (header_.dimension > std::numeric_limits<FeatureId>::max()) return false;
    if (is_dense()) {
      return dimension() > 0 && num_values % dimension() == 0 &&
             num_values / dimension() == num_examples && values_are_finite();
    }
    const auto offsets = section<std::uint64_t>(kOffsets);
    return offsets.size() == num_examples + 1 && offsets.front() == 0 &&
           offsets.back() == num_values && section<FeatureId>(kIndices).size() == num_values &&
           std::is_sorted(offsets.begin(), offsets.end()) && indices_increase() &&
           values_are_finite();
  }

  static bool is_weight(float weight) { return std::isfinite(weight) && weight >= 0.0F; }

  bool values_are_finite() const {
    constexpr std::size_t kValuesAtOnce = CacheHeader::kStripe / sizeof(float);
    const auto values = section<float>(kValues);
    std::atomic<bool> finite = true;
    pool_.run((values.size() + kValuesAtOnce - 1) / kValuesAtOnce, [&](std::size_t stripe, int) {
      const std::size_t begin = stripe * kValuesAtOnce;
      const auto some = values.subspan(begin, std::min(kValuesAtOnce, values.size() - begin));
      if (!all_finite(some)) finite = false;
      if (drops_pages_) drop_pages(std::as_bytes(some));
    });
    return finite;
  }

  bool indices_increase() const {
    constexpr std::size_t kRows = std::size_t{1} << 16;
    const auto offsets = section<std::uint64_t>(kOffsets);
    const auto indices = section<FeatureId>(kIndices);
    const DatasetView rows = view();
    std::atomic<bool> fit = true;
    pool_.run((rows.size() + kRows - 1) / kRows, [&](std::size_t stripe, int) {
      const std::size_t end = std::min(rows.size(), (stripe + 1) * kRows);
      for (std::size_t row = stripe * kRows; row < end; ++row) {
        std::uint64_t lowest = 0;
        for (std::uint64_t i = offsets[row]; i < offsets[row + 1]; ++i) {
          if (indices[i] < lowest || indices[i] >= dimension()) fit = false;
          lowest = std::uint64_t{indices[i]} + 1;
        }
      }
      if (drops_pages_) rows.drop_rows(stripe * kRows, end);
    });
    return fit;
  }

  std::shared_ptr<const MappedFile> file_;
  ThreadPool& pool_;
  bool drops_pages_;  // drop the pages of a large file after reading them
  CacheHeader header_;
};

}  // namespace

std::optional<LoadedData> read_cache_file(std::shared_ptr<const MappedFile> file,
                                          const CacheOrigin& origin, ThreadPool& pool) {
  return CacheReader(std::move(file), pool).read(origin);
}

}  // namespace cane
