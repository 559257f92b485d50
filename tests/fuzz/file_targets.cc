// Readers that take a file: compressed text, NumPy arrays, caches and trees.
#include <cstring>
#include <memory>

#include "core/tree/tree_file.h"
#include "data/cache/cache_reader.h"
#include "data/loaded_data.h"
#include "data/matrix/matrix.h"
#include "data/reader/record_sample.h"
#include "data/reader/text_file.h"
#include "fuzz/targets.h"

namespace cane::fuzz {
namespace {

ThreadPool& one_thread() {
  static ThreadPool pool(1);
  return pool;
}

// Reads every row, as training would.
void visit_rows(const LoadedData& data) {
  if (data.view.dimension() > (1U << 20)) return;
  std::vector<float> scratch(data.view.dimension());
  for (std::size_t e = 0; e < data.view.size(); ++e) {
    const RowView row = data.view.row(e, scratch);
    const ClassId label = data.view.label(e);
    if (label != kUnknownClass && label >= data.vocabulary.labels.size()) __builtin_trap();
    for (std::uint32_t i = 0; i < row.count; ++i) {
      const FeatureId feature = row.indices == nullptr ? i : row.indices[i];
      if (feature >= data.view.dimension() || !(row.values[i] == row.values[i])) __builtin_trap();
    }
  }
}

// A whole file, whose first bytes say how it is compressed and its lines in which format it is.
void read_file(Bytes input) {
  constexpr BlockLimits kLimits = {.block_bytes = 256, .line_bytes = 128};
  DataOptions options;
  options.on_error = OnError::kSkip;
  options.multi_label = MultiLabel::kEach;
  visit_rows(assemble(parse_text_file(path_of(input), options, nullptr, one_thread(), {}, kLimits),
                      one_thread()));
}

// The beginning of a file, of which features are tried before it is read as a whole.
void sample_file(Bytes input) {
  DataOptions options;
  options.on_error = OnError::kSkip;
  options.multi_label = MultiLabel::kEach;
  options.threads = 1;
  const RecordSample sample =
      sample_records(path_of(input), options, {.work = 1000.0, .read_bytes = 512});
  if (sample.counts.classes > sample.counts.all_classes) __builtin_trap();
}

// A matrix, mapped or converted: an array or an archive of arrays.
void read_npy(Bytes input) {
  DataOptions options;
  options.format = Format::kNpy;
  options.on_error = (take_byte(input) & 1) != 0 ? OnError::kSkip : OnError::kStop;
  options.require_labels = false;
  options.threads = 1;
  const std::string path = path_of(input);
  Vocabulary known;
  known.labels = {"a", "b"};
  known.dimension = 3;
  visit_rows(is_mapped_matrix(path)
                 ? load_mapped_matrix(path, options, &known, one_thread())
                 : assemble(parse_matrix(path, options, &known, one_thread(), {}), one_thread()));
}

// The labels of a matrix are read from a .npy file of numbers or strings.
void read_labels(Bytes input) {
  const RowLabels labels = labels_of_array(NpyArray(path_of(input)));
  for (const std::uint32_t label : labels.numbers) {
    if (label != StringTable::kNone && label >= labels.names.size()) __builtin_trap();
  }
}

// A cache whose checksums are right wherever its sections lie within the file.
void read_cache(Bytes input) {
  std::vector<std::uint8_t> file(input.begin(), input.end());
  CacheHeader header;
  const CacheOrigin origin = {1, {.bytes = 2}};
  if (file.size() >= sizeof header) {
    std::memcpy(&header, file.data(), sizeof header);
    header.magic = CacheHeader::kMagic;
    header.version = CacheHeader::kVersion;
    header.origin = origin;
    for (SectionEntry& section : header.sections) {
      if (section.offset > file.size() || section.bytes > file.size() - section.offset) continue;
      section.checksum = section_checksum(
          std::as_bytes(std::span(file)).subspan(section.offset, section.bytes), one_thread());
    }
    header.checksum = header.computed_checksum();
    std::memcpy(file.data(), &header, sizeof header);
  }
  auto mapped = std::make_shared<const MappedFile>("cache", std::as_bytes(std::span(file)));
  if (const auto data = read_cache_file(std::move(mapped), origin, one_thread())) visit_rows(*data);
}

void read_tree(Bytes input) {
  static const std::vector<std::string> labels = {"a", "b", "c", "d", "e"};
  const ClassTree tree = read_tree_file(path_of(input), labels);
  if (tree.class_count() != labels.size()) __builtin_trap();
}

constexpr Target kFileTargets[] = {
    {"file", read_file},         {"sample", sample_file}, {"npy", read_npy},  {"npz", read_npy},
    {"npy-labels", read_labels}, {"cache", read_cache},   {"tree", read_tree}};

}  // namespace

std::span<const Target> file_targets() {
  return kFileTargets;
}

}  // namespace cane::fuzz
