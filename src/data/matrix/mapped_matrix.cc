#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/string_table.h"
#include "data/matrix/matrix.h"
#include "data/rows/bad_values.h"
#include "data/vocabulary/feature_options.h"
#include "data/vocabulary/name_maps.h"

namespace cane {
namespace {

/// The first value of a row that cannot be used.
struct BadValue {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  float value = 0.0F;
};

/// Finds the first bad value of each row that has one, in row order. With `first_only`, only the
/// first such row is guaranteed to be included.
std::vector<BadValue> find_bad_rows(const NpyArray& matrix, const RowRange& range, bool first_only,
                                    ThreadPool& pool) {
  if (matrix.kind() != 'f') return {};
  constexpr std::uint64_t kStripeElements = std::uint64_t{1} << 20;
  const auto* const values = reinterpret_cast<const float*>(matrix.data().data());
  const std::uint64_t columns = matrix.shape()[1];
  const std::uint64_t stripe_rows = std::max<std::uint64_t>(1, kStripeElements / columns);
  const std::uint64_t stripes = (range.size() + stripe_rows - 1) / stripe_rows;
  std::vector<std::vector<BadValue>> found(stripes);
  pool.run(stripes, [&](std::size_t stripe, int) {
    const std::uint64_t begin = range.begin + stripe * stripe_rows;
    const std::uint64_t end = std::min(range.end, begin + stripe_rows);
    for (std::uint64_t row = begin; row < end; ++row) {
      const std::span<const float> some(values + row * columns, columns);
      const std::size_t bad = find_bad(some);
      if (bad == columns) continue;
      found[stripe].push_back({row, bad, some[bad]});
      if (first_only) return;
    }
  });
  std::vector<BadValue> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct MappedRows {
  NpyArray matrix;
  std::vector<ClassId> classes;
  std::vector<std::uint64_t> rows;
};

class MappedLoader {
 public:
  MappedLoader(const std::string& path, const DataOptions& options, const Vocabulary* known)
      : path_(path), options_(options), known_(known) {}

  LoadedData load(const RunContext& run) {
    check_feature_options(path_, false, options_, known_);
    check_weights_of_matrix(path_, options_, known_);
    const auto storage = std::make_shared<MappedRows>(MappedRows{NpyArray(path_), {}, {}});
    const NpyArray& matrix = storage->matrix;
    const FeatureId dimension = checked_dimension(path_, matrix.shape(), known_);
    const std::uint64_t rows = matrix.shape()[0];
    range_ = share_of_rows(rows, run.ranks());
    DatasetView::Dense dense;
    dense.matrix = matrix.data().data() + range_.begin * dimension * matrix.element_bytes();
    dense.type = matrix.kind() == 'f' ? ElementType::kFloat32 : ElementType::kUint8;
    dense.mapped = true;
    const RowLabels row_labels = labels_beside(path_, rows, range_, options_);
    mark_bad_rows(matrix, run.pool());
    mark_missing_labels(row_labels);
    keep_rows(*storage, run.ranks());
    dense.rows = storage->rows;
    Vocabulary vocabulary = known_ != nullptr ? *known_ : new_vocabulary(false, options_);
    vocabulary.labels = classify(row_labels, *storage, run.ranks());
    vocabulary.dimension = dimension;
    dense.normalize = vocabulary.normalize == Normalize::kL2;
    LoadedData data = {DatasetView(dense, dimension, storage->classes, {}), std::move(vocabulary),
                       std::move(report_), storage};
    for (const std::uint64_t row : skipped_rows_) {
      if (options_.every_row) data.gaps.push_back({row, GapKind::kSkipped});
    }
    return data;
  }

 private:
  void mark_bad_rows(const NpyArray& matrix, ThreadPool& pool) {
    const bool first_only = options_.on_error == OnError::kStop;
    for (const BadValue& bad : find_bad_rows(matrix, range_, first_only, pool)) {
      skip(bad.row - range_.begin, bad_value_text(path_, bad.row, bad.column, double{bad.value}));
    }
  }

  void mark_missing_labels(const RowLabels& row_labels) {
    if (!options_.require_labels) return;
    for (std::uint64_t row = 0; row < row_labels.numbers.size(); ++row) {
      if (row_labels.numbers[row] != StringTable::kNone) continue;
      skip(row, row_labels.missing_text(range_.begin + row));
    }
  }

  /// `row` counts from the first of this rank.
  void skip(std::uint64_t row, std::string message) {
    if (options_.on_error == OnError::kStop) throw Error(message);
    if (skipped_rows_.empty()) report_.first_skipped = std::move(message);
    skipped_rows_.push_back(row);
  }

  /// Lists the rows that remain, if not all do.
  void keep_rows(MappedRows& storage, Communicator& ranks) {
    std::sort(skipped_rows_.begin(), skipped_rows_.end());
    skipped_rows_.erase(std::unique(skipped_rows_.begin(), skipped_rows_.end()),
                        skipped_rows_.end());
    report_.skipped_lines = skipped_rows_.size();
    check_has_rows(path_, range_.size() - skipped_rows_.size(), report_, ranks);
    // All ranks list them, or none, so that their rows together are laid out as one process's.
    is_listed_ = !options_.every_row && ranks.sum(std::uint64_t{skipped_rows_.size()}) > 0;
    if (!is_listed_) return;
    auto next_skipped = skipped_rows_.begin();
    for (std::uint64_t row = 0; row < range_.size(); ++row) {
      if (next_skipped != skipped_rows_.end() && *next_skipped == row) {
        ++next_skipped;
      } else {
        storage.rows.push_back(row);
      }
    }
  }

  /// Assigns classes to the remaining rows and returns their labels. Labels of skipped rows create
  /// no classes.
  std::vector<std::string> classify(const RowLabels& row_labels, MappedRows& storage,
                                    Communicator& ranks) {
    LabelMap labels(known_, options_.add_labels);
    std::vector<FileId> ids;
    const std::uint64_t count = is_listed_ ? storage.rows.size() : range_.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t name = row_labels.numbers[is_listed_ ? storage.rows[i] : i];
      const bool is_missing = name == StringTable::kNone;
      ids.push_back(is_missing ? kUnknownName : labels.number_of(row_labels.names[name]));
      if (!is_missing && ids.back() == kUnknownName) ++report_.unseen_labels;
    }
    report_.unseen_label_names = labels.unseen();
    labels.merge(ranks);
    const std::vector<ClassId> class_of = labels.classes();
    for (const FileId id : ids) storage.classes.push_back(class_of_name(id, class_of));
    std::vector<std::string> sorted = labels.sorted_labels();
    if (known_ == nullptr) check_classes(path_, sorted);
    return sorted;
  }

  const std::string& path_;
  const DataOptions& options_;
  const Vocabulary* known_;
  RowRange range_;          // of this rank
  bool is_listed_ = false;  // the rows that remain are, since some were skipped
  ReadReport report_;
  std::vector<std::uint64_t> skipped_rows_;
};

}  // namespace

RowRange share_of_rows(std::uint64_t rows, const Communicator& ranks) {
  const auto count = static_cast<std::uint64_t>(ranks.ranks());
  const auto start_of = [&](std::uint64_t rank) {
    return rows / count * rank + rows % count * rank / count;
  };
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  return {start_of(rank), start_of(rank + 1)};
}

void check_has_rows(const std::string& path, std::uint64_t rows, const ReadReport& report,
                    Communicator& ranks) {
  if (ranks.sum(rows) > 0) return;
  throw Error(fmt::format("{}: every row was skipped ({}); the first: {}", path,
                          report.skipped_lines, report.first_skipped));
}

LoadedData load_mapped_matrix(const std::string& path, const DataOptions& options,
                              const Vocabulary* known, const RunContext& run) {
  return MappedLoader(path, options, known).load(run);
}

}  // namespace cane
