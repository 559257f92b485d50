#include "data/cache/cache_writer.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace cane {
namespace {

constexpr std::size_t kStripe = CacheHeader::kStripe;

template <typename Range>
std::span<const std::byte> bytes_in(const Range& range) {
  return std::as_bytes(std::span(range));
}

}  // namespace

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
  if (!shape.is_dense) append(kOffsets, bytes_in(std::span(&kStart, 1)));
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
    append(kOffsets, bytes_in(ends));
    append(kIndices, bytes_in(std::span(features.indices, count)));
    append(kValues, bytes_in(std::span(features.values, count)));
  }
  append(kClasses, bytes_in(rows.labels()));
  append(kWeights, bytes_in(rows.weights()));
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
  append(lengths, bytes_in(sizes));
  place(bytes, together.size());
  append(bytes, bytes_in(together));
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
  append(kFactors, bytes_in(vocabulary.factors));
  place(kNgramHashes, vocabulary.ngram_hashes.size() * sizeof(std::uint64_t));
  append(kNgramHashes, bytes_in(vocabulary.ngram_hashes));
  std::vector<std::uint64_t> gaps;
  for (const RowGap& gap : data.gaps) {
    gaps.insert(gaps.end(), {gap.example, static_cast<std::uint64_t>(gap.kind)});
  }
  place(kGaps, gaps.size() * sizeof(std::uint64_t));
  append(kGaps, bytes_in(gaps));

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
