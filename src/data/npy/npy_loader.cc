#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/base/string_table.h"
#include "data/npy/npy.h"
#include "data/text/block_reader.h"
#include "data/text/feature_options.h"
#include "data/text/name_maps.h"
#include "data/text/number.h"

namespace cane {
namespace {

/// The labels of a matrix.
struct RowLabels {
  StringTable names;
  std::vector<std::uint32_t> numbers;  // row -> name, StringTable::kNone: missing
};

template <typename Integer>
RowLabels read_integers(const NpyArray& array) {
  RowLabels rows;
  const auto* const values = reinterpret_cast<const Integer*>(array.data().data());
  rows.numbers.reserve(array.shape()[0]);
  for (std::uint64_t row = 0; row < array.shape()[0]; ++row) {
    char text[24];
    const auto end = std::to_chars(std::begin(text), std::end(text), values[row]).ptr;
    rows.numbers.push_back(rows.names.find_or_add({text, static_cast<std::size_t>(end - text)}));
  }
  return rows;
}

RowLabels read_array(const std::string& path) {
  const NpyArray array(path);
  if (array.shape().size() != 1) {
    throw Error(fmt::format("{}: labels must be an array of one dimension; save y.ravel()", path));
  }
  const std::string_view type = std::string_view(array.type()).substr(1);
  if (type == "i1") return read_integers<std::int8_t>(array);
  if (type == "u1") return read_integers<std::uint8_t>(array);
  if (type == "i2") return read_integers<std::int16_t>(array);
  if (type == "u2") return read_integers<std::uint16_t>(array);
  if (type == "i4") return read_integers<std::int32_t>(array);
  if (type == "u4") return read_integers<std::uint32_t>(array);
  if (type == "i8") return read_integers<std::int64_t>(array);
  if (type == "u8") return read_integers<std::uint64_t>(array);
  throw Error(fmt::format(
      "{}: labels of type {} are not read; save y.astype('int64'), or a text file with a label a "
      "line",
      path, in_quotes(array.type())));
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

RowLabels read_text(const std::string& path) {
  RowLabels rows;
  BlockReader reader(open_text(path), {});
  TextBlock block;
  while (reader.next(block)) {
    std::string_view rest = block.text;
    while (!rest.empty()) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      const std::string_view label = trimmed(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
      rows.numbers.push_back(label.empty() ? StringTable::kNone : rows.names.find_or_add(label));
    }
    if (block.long_line_follows) {
      throw Error(fmt::format("{}:{}: the line is too long for a label; write a label a line", path,
                              rows.numbers.size() + 1));
    }
  }
  if (const std::string damage = reader.damage(); !damage.empty()) {
    throw Error(
        fmt::format("{}:{}: {}; get the file again", path, rows.numbers.size() + 1, damage));
  }
  while (!rows.numbers.empty() && rows.numbers.back() == StringTable::kNone) {
    rows.numbers.pop_back();
  }
  return rows;
}

RowLabels read_row_labels(const std::string& path) {
  return is_npy(path) ? read_array(path) : read_text(path);
}

/// A value that cannot be used in training: NaN, infinity, or beyond the range of float; or the
/// largest value of a row whose squares add up to more than that.
struct BadValue {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  double value = 0.0;
};

template <typename Element>
const Element* find_bad(const Element* begin, const Element* end) {
  constexpr auto kMax = double{std::numeric_limits<float>::max()};
  const auto is_good = [](Element value) { return std::abs(double{value}) <= kMax; };
  const Element* const bad = std::find_if_not(begin, end, is_good);
  if (bad != end) return bad;
  double squares = 0.0;
  for (const Element* value = begin; value != end; ++value)
    squares += double{*value} * double{*value};
  if (squares <= kMax) return end;
  return std::max_element(begin, end,
                          [](Element a, Element b) { return std::abs(a) < std::abs(b); });
}

template <typename Element>
std::vector<BadValue> scan(const NpyArray& matrix, bool first_only, ThreadPool& pool) {
  constexpr std::uint64_t kStripeElements = std::uint64_t{1} << 20;
  const auto* const values = reinterpret_cast<const Element*>(matrix.data().data());
  const std::uint64_t rows = matrix.shape()[0];
  const std::uint64_t columns = matrix.shape()[1];
  const std::uint64_t stripe_rows = std::max<std::uint64_t>(1, kStripeElements / columns);
  const std::uint64_t stripes = (rows + stripe_rows - 1) / stripe_rows;
  // Rows of such values can be squared, whatever their length; false for NaN.
  const auto is_small = [](Element value) { return std::abs(value) <= Element{1e14F}; };
  std::vector<std::vector<BadValue>> found(stripes);
  pool.run(stripes, [&](std::size_t stripe, int) {
    const std::uint64_t end = std::min(rows, (stripe + 1) * stripe_rows);
    for (std::uint64_t row = stripe * stripe_rows; row < end; ++row) {
      const Element* const begin = values + row * columns;
      if (std::all_of(begin, begin + columns, is_small)) continue;
      const Element* const bad = find_bad(begin, begin + columns);
      if (bad == begin + columns) continue;
      found[stripe].push_back({row, static_cast<std::uint64_t>(bad - begin), double{*bad}});
      if (first_only) return;
    }
  });
  std::vector<BadValue> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Finds the first bad value of each row that has one, in row order. With `first_only`, only the
/// first such row is guaranteed to be included. The array must be two-dimensional.
std::vector<BadValue> find_bad_rows(const NpyArray& matrix, ElementType type, bool first_only,
                                    ThreadPool& pool) {
  switch (type) {
    case ElementType::kFloat32:
      return scan<float>(matrix, first_only, pool);
    case ElementType::kFloat64:
      return scan<double>(matrix, first_only, pool);
    case ElementType::kUint8:
      break;
  }
  return {};
}

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
    check_weights_of_matrix(path_, options_, known_);
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
      vocabulary.normalize = new_vocabulary(false, options_).normalize;
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
            "{}: no labels found beside it (tried {}); name the file with `labels_path`", path_,
            tried));
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
           fmt::format("{}: row {}, column {} (counted from 0): {} is {}; clean the data, or pass "
                       "such rows over with `on_error skip`",
                       path_, value.row, value.column, value.value,
                       std::abs(value.value) <= double{std::numeric_limits<float>::max()}
                           ? "too large for a row to be squared"
                           : "no finite 32-bit number"));
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

  /// Assigns classes to the remaining rows. Labels of skipped rows create no classes.
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

std::string find_label_file(const std::string& path, const std::string& named, std::string& tried) {
  if (!named.empty()) return named;
  const std::filesystem::path matrix(path);
  const std::string stem = matrix.stem().string();
  std::vector<std::string> names;
  if (stem.starts_with('X')) names.push_back(fmt::format("y{}", stem.substr(1)));
  names.push_back(stem + ".labels");
  for (const std::string& name : names) {
    for (const char* const ending : {".npy", ".txt"}) {
      std::string candidate = (matrix.parent_path() / (name + ending)).string();
      std::error_code ignored;
      if (std::filesystem::exists(candidate, ignored)) return candidate;
      tried += fmt::format("{}{}{}", tried.empty() ? "" : ", ", name, ending);
    }
  }
  return {};
}

LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool) {
  return NpyLoader(path, options, known, pool).load();
}

}  // namespace cane
