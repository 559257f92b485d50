#include "data/cache/cache_file.h"

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/base/finite.h"
#include "core/base/memory.h"

namespace cane {
namespace {

constexpr std::size_t kStripe = CacheHeader::kStripe;

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + CacheHeader::kAlignment - 1) / CacheHeader::kAlignment * CacheHeader::kAlignment;
}

// The header fields, shared by reader and writer: field(slot, member).
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

// The string tables, shared by both: strings(lengths, bytes, member). `messages` belong to the
// report: the first skipped line, notes, warnings, the labels that training never saw.
template <typename Vocabulary, typename Strings, typename Action>
bool describe_names(Vocabulary& vocabulary, Strings& messages, Strings& columns, Action strings) {
  return strings(kLabelLengths, kLabelBytes, vocabulary.labels) &&
         strings(kWordLengths, kWordBytes, vocabulary.words) &&
         strings(kReportLengths, kReportBytes, messages) &&
         strings(kColumnLengths, kColumnBytes, columns);
}

std::uint64_t stripe_checksum(std::span<const std::byte> stripe) {
  return XXH3_64bits(stripe.data(), stripe.size());
}

/// Checksum of a section of this many bytes, from the checksums of its stripes.
std::uint64_t checksum_of_stripes(std::span<const std::uint64_t> checksums, std::uint64_t bytes) {
  return XXH3_64bits_withSeed(checksums.data(), checksums.size_bytes(), bytes);
}

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
    constexpr std::size_t kValuesAtOnce = kStripe / sizeof(float);
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

template <typename Range>
std::span<const std::byte> bytes_of(const Range& range) {
  return std::as_bytes(std::span(range));
}

}  // namespace

std::uint64_t CacheHeader::computed_checksum() const {
  constexpr std::size_t kCovered = offsetof(CacheHeader, origin);
  return XXH3_64bits(reinterpret_cast<const std::byte*>(this) + kCovered,
                     sizeof(CacheHeader) - kCovered);
}

std::uint64_t section_checksum(std::span<const std::byte> bytes, ThreadPool& pool,
                               bool drops_pages) {
  std::vector<std::uint64_t> checksums((bytes.size() + kStripe - 1) / kStripe);
  pool.run(checksums.size(), [&](std::size_t stripe, int) {
    const std::size_t begin = stripe * kStripe;
    const auto content = bytes.subspan(begin, std::min(kStripe, bytes.size() - begin));
    checksums[stripe] = stripe_checksum(content);
    if (drops_pages) drop_pages(content);
  });
  return checksum_of_stripes(checksums, bytes.size());
}

std::optional<LoadedData> read_cache_file(std::shared_ptr<const MappedFile> file,
                                          const CacheOrigin& origin, ThreadPool& pool) {
  return CacheReader(std::move(file), pool).read(origin);
}

CacheWriter::CacheWriter(AtomicFile& file, const CacheShape& shape, ThreadPool& pool)
    : file_(file), shape_(shape), pool_(pool), end_(aligned(sizeof(CacheHeader))) {
  const std::uint64_t rows = shape.num_examples;
  const std::uint64_t values = shape.is_dense ? rows * shape.dimension : shape.num_values;
  place(kOffsets, shape.is_dense ? 0 : (rows + 1) * sizeof(std::uint64_t));
  place(kIndices, shape.is_dense ? 0 : values * sizeof(FeatureId));
  place(kValues, values * sizeof(float));
  place(kClasses, rows * sizeof(ClassId));
  place(kWeights, shape.has_weights ? rows * sizeof(float) : 0);
  constexpr std::uint64_t kStart = 0;
  if (!shape.is_dense) append(kOffsets, bytes_of(std::span(&kStart, 1)));
}

void CacheWriter::place(CacheSection section, std::uint64_t most_bytes) {
  sections_[section].offset = end_;
  end_ = aligned(end_ + most_bytes);
}

void CacheWriter::append(const DatasetView& rows) {
  if (shape_.is_dense) {
    append(kValues, {rows.dense().matrix, rows.size() * rows.dense_row_bytes()});
  } else {
    const DatasetView::Sparse& features = rows.sparse();
    const std::uint64_t values_before = sections_[kValues].bytes / sizeof(float);
    std::vector<std::uint64_t> ends(features.offsets.begin() + 1, features.offsets.end());
    const std::uint64_t count = features.offsets.back();
    for (std::uint64_t& end : ends) end += values_before;
    append(kOffsets, bytes_of(ends));
    append(kIndices, bytes_of(std::span(features.indices, count)));
    append(kValues, bytes_of(std::span(features.values, count)));
  }
  append(kClasses, bytes_of(rows.labels()));
  append(kWeights, bytes_of(rows.weights()));
}

void CacheWriter::append(CacheSection which, std::span<const std::byte> bytes) {
  Section& section = sections_[which];
  const auto keep = [&](std::size_t count) {
    section.rest.insert(section.rest.end(), bytes.begin(),
                        bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
  };
  section.bytes += bytes.size();
  if (!section.rest.empty()) keep(std::min(bytes.size(), kStripe - section.rest.size()));
  if (section.rest.size() == kStripe) {
    write_stripes(section, section.rest);
    section.rest.clear();
  }
  const std::size_t whole = bytes.size() / kStripe * kStripe;
  write_stripes(section, bytes.first(whole));
  bytes = bytes.subspan(whole);
  keep(bytes.size());
}

void CacheWriter::write_stripes(Section& section, std::span<const std::byte> stripes) {
  const std::size_t first = section.checksums.size();
  const std::size_t count = (stripes.size() + kStripe - 1) / kStripe;
  section.checksums.resize(first + count);
  pool_.run(count, [&](std::size_t i, int) {
    const std::size_t begin = i * kStripe;
    const auto stripe = stripes.subspan(begin, std::min(kStripe, stripes.size() - begin));
    section.checksums[first + i] = stripe_checksum(stripe);
    file_.write_at(section.offset + (first + i) * kStripe, stripe);
  });
}

void CacheWriter::append_strings(CacheSection lengths, CacheSection bytes,
                                 std::span<const std::string> strings) {
  std::vector<std::uint32_t> sizes;
  std::string together;
  for (const std::string& text : strings) {
    sizes.push_back(static_cast<std::uint32_t>(text.size()));
    together += text;
  }
  place(lengths, sizes.size() * sizeof(std::uint32_t));
  append(lengths, bytes_of(sizes));
  place(bytes, together.size());
  append(bytes, bytes_of(together));
}

SectionEntry CacheWriter::close(Section& section) {
  write_stripes(section, section.rest);
  return {section.offset, section.bytes, checksum_of_stripes(section.checksums, section.bytes)};
}

void CacheWriter::finish(const CacheOrigin& origin, const LoadedData& data) {
  const Vocabulary& vocabulary = data.vocabulary;
  const ReadReport& report = data.report;
  std::vector<std::string> messages = {report.first_skipped};
  messages.insert(messages.end(), report.notes.begin(), report.notes.end());
  messages.insert(messages.end(), report.warnings.begin(), report.warnings.end());
  messages.insert(messages.end(), report.unseen_label_names.begin(),
                  report.unseen_label_names.end());
  std::vector<std::string> columns = column_texts(vocabulary.columns);
  describe_names(
      vocabulary, messages, columns,
      [&](CacheSection lengths, CacheSection bytes, const std::vector<std::string>& strings) {
        append_strings(lengths, bytes, strings);
        return true;
      });
  place(kFactors, vocabulary.factors.size() * sizeof(float));
  append(kFactors, bytes_of(vocabulary.factors));
  place(kNgramHashes, vocabulary.ngram_hashes.size() * sizeof(std::uint64_t));
  append(kNgramHashes, bytes_of(vocabulary.ngram_hashes));
  std::vector<std::uint64_t> gaps;
  for (const RowGap& gap : data.gaps) {
    gaps.insert(gaps.end(), {gap.example, static_cast<std::uint64_t>(gap.kind)});
  }
  place(kGaps, gaps.size() * sizeof(std::uint64_t));
  append(kGaps, bytes_of(gaps));

  CacheHeader header;
  describe_header(header, vocabulary, report, [](std::uint64_t& slot, const auto& member) {
    slot = static_cast<std::uint64_t>(member);
  });
  header.origin = origin;
  header.notes = report.notes.size();
  header.warnings = report.warnings.size();
  header.dense = shape_.is_dense ? 1 : 0;
  for (std::size_t i = 0; i < kSectionCount; ++i) header.sections[i] = close(sections_[i]);
  header.checksum = header.computed_checksum();

  file_.set_size(end_);
  file_.write_at(0, std::as_bytes(std::span(&header, 1)));
}

}  // namespace cane
