#include "data/cache/cache_writer.h"

#include <algorithm>
#include <string>

namespace cane {
namespace {

template <typename Range>
std::span<const std::byte> bytes_of(const Range& range) {
  return std::as_bytes(std::span(range));
}

}  // namespace

CacheWriter::CacheWriter(AtomicFile& file, const CacheShape& shape, ThreadPool& pool)
    : file_(file), shape_(shape), pool_(pool), end_(aligned(sizeof(CacheHeader))) {
  const std::uint64_t rows = shape.examples;
  place(kOffsets, shape.dense ? 0 : (rows + 1) * sizeof(std::uint64_t));
  place(kIndices, shape.dense ? 0 : shape.values * sizeof(FeatureId));
  place(kValues, (shape.dense ? rows * shape.dimension : shape.values) * sizeof(float));
  place(kClasses, rows * sizeof(ClassId));
  place(kWeights, shape.weighted ? rows * sizeof(float) : 0);
  constexpr std::uint64_t kStart = 0;
  if (!shape.dense) append(kOffsets, bytes_of(std::span(&kStart, 1)));
}

void CacheWriter::place(CacheSection section, std::uint64_t most_bytes) {
  sections_[section].offset = end_;
  end_ = aligned(end_ + most_bytes);
}

void CacheWriter::append(const Columns& rows) {
  if (!shape_.dense) {
    const std::uint64_t values_before = sections_[kValues].bytes / sizeof(float);
    std::vector<std::uint64_t> ends(rows.offsets.begin() + 1, rows.offsets.end());
    for (std::uint64_t& end : ends) end += values_before;
    append(kOffsets, bytes_of(ends));
  }
  append(kIndices, bytes_of(rows.indices));
  append(kValues, bytes_of(rows.values));
  append(kClasses, bytes_of(rows.classes));
  append(kWeights, bytes_of(rows.weights));
}

void CacheWriter::append(CacheSection which, std::span<const std::byte> bytes) {
  Section& section = sections_[which];
  constexpr std::size_t kStripe = CacheHeader::kStripe;
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
  const std::size_t count = (stripes.size() + CacheHeader::kStripe - 1) / CacheHeader::kStripe;
  section.checksums.resize(first + count);
  pool_.run(count, [&](std::size_t i, int) {
    const std::size_t begin = i * CacheHeader::kStripe;
    const auto stripe =
        stripes.subspan(begin, std::min(CacheHeader::kStripe, stripes.size() - begin));
    section.checksums[first + i] = stripe_checksum(stripe);
    file_.write_at(section.offset + (first + i) * CacheHeader::kStripe, stripe);
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

void CacheWriter::finish(const CacheOrigin& origin, const Vocabulary& vocabulary,
                         const ReadReport& report) {
  std::vector<std::string> messages = report.unseen_label_names;
  messages.insert(messages.begin(), report.first_skipped);
  append_strings(kLabelLengths, kLabelBytes, vocabulary.labels);
  append_strings(kWordLengths, kWordBytes, vocabulary.words);
  append_strings(kReportLengths, kReportBytes, messages);

  CacheHeader header;
  header.origin = origin;
  header.dense = shape_.dense ? 1 : 0;
  header.dimension = shape_.dimension;
  header.feature_kind = static_cast<std::uint64_t>(vocabulary.feature_kind);
  header.hash_bits = vocabulary.hash_bits;
  header.word_ngrams = vocabulary.ngrams.words;
  header.shortest_char_ngram = vocabulary.ngrams.characters.min;
  header.longest_char_ngram = vocabulary.ngrams.characters.max;
  header.ngram_bits = vocabulary.ngrams.bits;
  header.normalize = static_cast<std::uint64_t>(vocabulary.normalize);
  header.skipped_lines = report.skipped_lines;
  header.unseen_labels = report.unseen_labels;
  header.ignored_features = report.ignored_features;
  for (std::size_t i = 0; i < kSectionCount; ++i) header.sections[i] = close(sections_[i]);
  header.checksum = header.computed_checksum();

  file_.set_size(end_);
  file_.write_at(0, std::as_bytes(std::span(&header, 1)));
}

}  // namespace cane
