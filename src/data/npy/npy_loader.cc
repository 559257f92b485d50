#include "data/npy/npy_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "data/npy/npy_array.h"
#include "data/npy/npy_labels.h"
#include "data/npy/npy_scan.h"
#include "data/text/label_map.h"
#include "data/text/text_loader.h"

namespace cane {
namespace {

struct Storage {
  NpyArray matrix;
  std::vector<ClassId> classes;
  std::vector<std::uint64_t> rows;
};

ElementType element_type(const std::string& path, const NpyArray& matrix) {
  const std::string_view type = std::string_view(matrix.type()).substr(1);
  if (type == "f4") return ElementType::kFloat32;
  if (type == "f8") return ElementType::kFloat64;
  if (type == "u1") return ElementType::kUint8;
  throw Error(fmt::format(
      "{}: elements of type {} are not read; save X.astype('float32') (float64 and uint8 are read, "
      "too)",
      path, in_quotes(matrix.type())));
}

FeatureId checked_dimension(const std::string& path, const NpyArray& matrix,
                            const Vocabulary* known) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 31;
  if (matrix.shape().size() != 2) {
    throw Error(
        fmt::format("{}: the array has {} dimensions, but must have 2, a row for each example; "
                    "save X.reshape(len(X), -1)",
                    path, matrix.shape().size()));
  }
  const std::uint64_t dimension = matrix.shape()[1];
  if (matrix.shape()[0] == 0) {
    throw Error(fmt::format("{}: there are no examples; give a matrix with rows", path));
  }
  if (dimension == 0 || dimension > kMax) {
    throw Error(fmt::format("{}: {} columns; there must be from 1 to {}", path, dimension, kMax));
  }
  if (known != nullptr && dimension != known->dimension) {
    throw Error(
        fmt::format("{}: {} columns, but the model was trained on {} features; give the features "
                    "it was trained on",
                    path, dimension, known->dimension));
  }
  return static_cast<FeatureId>(dimension);
}

class NpyLoader {
 public:
  NpyLoader(const std::string& path, const DataOptions& options, const Vocabulary* known,
            ThreadPool& pool)
      : path_(path), options_(options), known_(known), pool_(pool) {}

  LoadedData load() {
    check_feature_options(path_, false, options_, known_);
    const auto storage = std::make_shared<Storage>(Storage{NpyArray(path_), {}, {}});
    const NpyArray& matrix = storage->matrix;
    DatasetView::Dense dense;
    dense.matrix = matrix.data().data();
    dense.type = element_type(path_, matrix);
    dense.mapped = true;
    const FeatureId dimension = checked_dimension(path_, matrix, known_);
    const RowLabels row_labels = find_labels(matrix.shape()[0]);
    mark_bad_rows(matrix, dense.type);
    mark_missing_labels(row_labels);
    keep_rows(row_labels.numbers.size(), *storage);
    dense.rows = storage->rows;
    Vocabulary vocabulary = classify(row_labels, *storage);
    if (known_ == nullptr) {
      vocabulary.dimension = dimension;
      vocabulary.normalize = options_.normalize;
    }
    dense.normalize = vocabulary.normalize == Normalize::kL2;
    return {DatasetView(dense, dimension, storage->classes, {}), std::move(vocabulary),
            std::move(report_), storage};
  }

 private:
  RowLabels find_labels(std::uint64_t rows) {
    std::string tried;
    labels_path_ = find_label_file(path_, options_.labels_path, tried);
    if (labels_path_.empty()) {
      if (options_.require_labels) {
        throw Error(fmt::format(
            "{}: no labels found beside it (tried {}); name the file with --labels", path_, tried));
      }
      return {{}, std::vector<std::uint32_t>(rows, StringTable::kNone)};
    }
    RowLabels labels = read_row_labels(labels_path_);
    if (labels.numbers.size() != rows) {
      throw Error(fmt::format("{}: {} labels for the {} rows of {}; give one label for each row",
                              labels_path_, labels.numbers.size(), rows, path_));
    }
    return labels;
  }

  void mark_bad_rows(const NpyArray& matrix, ElementType type) {
    const bool first_only = options_.on_error == OnError::kStop;
    for (const BadValue& value : find_bad_rows(matrix, type, first_only, pool_)) {
      skip(value.row,
           fmt::format("{}: row {}, column {} (counted from 0): {} is no finite 32-bit number; "
                       "clean the data, or pass such rows over with --on-error skip",
                       path_, value.row, value.column, value.value));
    }
  }

  void mark_missing_labels(const RowLabels& row_labels) {
    if (!options_.require_labels) return;
    for (std::uint64_t row = 0; row < row_labels.numbers.size(); ++row) {
      if (row_labels.numbers[row] != StringTable::kNone) continue;
      skip(row, fmt::format("{}:{}: there is no label; write a label in each line", labels_path_,
                            row + 1));
    }
  }

  void skip(std::uint64_t row, std::string message) {
    if (options_.on_error == OnError::kStop) throw Error(message);
    if (skipped_rows_.empty()) report_.first_skipped = std::move(message);
    skipped_rows_.push_back(row);
  }

  /// Lists the rows that remain, if not all do.
  void keep_rows(std::uint64_t rows, Storage& storage) {
    std::sort(skipped_rows_.begin(), skipped_rows_.end());
    skipped_rows_.erase(std::unique(skipped_rows_.begin(), skipped_rows_.end()),
                        skipped_rows_.end());
    report_.skipped_lines = skipped_rows_.size();
    if (skipped_rows_.empty()) return;
    auto next_skipped = skipped_rows_.begin();
    for (std::uint64_t row = 0; row < rows; ++row) {
      if (next_skipped != skipped_rows_.end() && *next_skipped == row) {
        ++next_skipped;
      } else {
        storage.rows.push_back(row);
      }
    }
    if (storage.rows.empty()) {
      throw Error(fmt::format("{}: every row was skipped ({}); the first: {}", path_,
                              report_.skipped_lines, report_.first_skipped));
    }
  }

  /// Gives the remaining rows their classes. Labels of skipped rows make no classes.
  Vocabulary classify(const RowLabels& row_labels, Storage& storage) {
    LabelMap labels(known_, options_.add_labels);
    std::vector<std::uint32_t> numbers;
    const std::uint64_t count =
        storage.rows.empty() ? row_labels.numbers.size() : storage.rows.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t name = row_labels.numbers[storage.rows.empty() ? i : storage.rows[i]];
      const bool is_missing = name == StringTable::kNone;
      numbers.push_back(is_missing ? StringTable::kNone : labels.number_of(row_labels.names[name]));
      if (!is_missing && numbers.back() == StringTable::kNone) ++report_.unseen_labels;
    }
    report_.unseen_label_names = labels.unseen();
    const std::vector<ClassId> class_of = labels.classes();
    for (const std::uint32_t number : numbers) {
      storage.classes.push_back(number == StringTable::kNone ? kUnknownClass : class_of[number]);
    }
    if (known_ != nullptr) {
      Vocabulary vocabulary = *known_;
      vocabulary.labels = labels.sorted_labels();
      return vocabulary;
    }
    Vocabulary vocabulary;
    vocabulary.labels = labels.sorted_labels();
    check_classes(path_, vocabulary.labels);
    return vocabulary;
  }

  const std::string& path_;
  const DataOptions& options_;
  const Vocabulary* known_;
  ThreadPool& pool_;
  std::string labels_path_;
  ReadReport report_;
  std::vector<std::uint64_t> skipped_rows_;
};

}  // namespace

LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool) {
  return NpyLoader(path, options, known, pool).load();
}

}  // namespace cane
