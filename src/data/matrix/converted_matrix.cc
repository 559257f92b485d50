// Converts the rows of a matrix to blocks, which become a dataset as those of a text do.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/base/memory.h"
#include "core/file/cache_source.h"
#include "core/file/zip_file.h"
#include "data/blocks/block_collector.h"
#include "data/matrix/matrix.h"
#include "data/matrix/matrix_rows.h"
#include "data/rows/bad_values.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

/// A matrix, and its labels if they are in the same file.
struct Matrix {
  std::unique_ptr<MatrixRows> rows;
  std::optional<RowLabels> labels;
};

NpyArray checked(NpyArray matrix) {
  if (!matrix.is_numeric()) {
    throw Error(fmt::format("{}: elements of type {} are not read; save X.astype('float32')",
                            matrix.name(), in_quotes(matrix.type())));
  }
  checked_dimension(matrix.name(), matrix.shape(), nullptr);
  return matrix;
}

void check_label_count(const std::string& path, std::uint64_t labels, std::uint64_t rows) {
  if (labels == rows) return;
  throw Error(
      fmt::format("{}: {} labels for {} rows; give one label for each row", path, labels, rows));
}

/// The arrays of an archive by their names without ".npy".
using Arrays = std::map<std::string, NpyArray>;

Arrays read_arrays(const std::string& path, NpyArray::Part part,
                   const std::function<std::uint64_t(const std::string& name)>& most) {
  constexpr std::string_view kEnding = ".npy";
  const auto name_of_file = [&](const std::string& file) {
    return file.ends_with(kEnding) ? file.substr(0, file.size() - kEnding.size()) : "";
  };
  Arrays arrays;
  for (auto& [file, content] : read_zip(path, [&](const std::string& file) {
         const std::string name = name_of_file(file);
         return name.empty() ? 0 : most(name);
       })) {
    const std::string name = name_of_file(file);
    if (name.empty() || most(name) == 0) continue;
    arrays.emplace(name,
                   NpyArray(fmt::format("{}: {}", path, shown(file)), std::move(content), part));
  }
  return arrays;
}

// Which members of an archive are the matrix and its labels.
struct Chosen {
  std::set<std::string> matrix;  // several of a sparse one
  std::string labels;            // empty: there are none
  bool is_sparse = false;
};

Chosen choose_members(const std::string& path, const Arrays& members) {
  const auto first_of = [&](std::initializer_list<const char*> names) -> std::string {
    for (const char* const name : names) {
      if (members.contains(name)) return name;
    }
    return {};
  };
  Chosen chosen;
  chosen.labels = first_of({"y", "labels", "label", "target"});
  if (members.contains("indptr")) {
    chosen.is_sparse = true;
    chosen.matrix = {"indptr", "indices", "data", "shape", "format"};
    return chosen;
  }
  if (chosen.labels.empty()) chosen.labels = first_of({"arr_1"});
  const std::string matrix = first_of({"X", "x", "features", "data", "arr_0"});
  if (matrix.empty()) {
    std::string names;
    for (const auto& [name, array] : members) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", in_quotes(name));
    }
    throw Error(fmt::format(
        "{}: no member is known to be the matrix ({}); save it as numpy.savez(FILE, X=X, y=y)",
        path, names.empty() ? "there is none" : shown(names)));
  }
  chosen.matrix = {matrix};
  return chosen;
}

// What the headers announce is checked before anything is unpacked: a small archive may hold
// terabytes of zeros.
void check_announced(const std::string& path, const Chosen& chosen, const Arrays& heads,
                     const Vocabulary* known) {
  if (!chosen.is_sparse) {
    const NpyArray& matrix = heads.at(*chosen.matrix.begin());
    checked_dimension(path, checked(matrix).shape(), known);
    if (!chosen.labels.empty() && heads.at(chosen.labels).shape().size() == 1) {
      check_label_count(path, heads.at(chosen.labels).shape()[0], matrix.shape()[0]);
    }
  }
  // A sparse matrix is copied to wider numbers.
  const double copies = chosen.is_sparse ? 3.0 : 1.0;
  double bytes = 0.0;
  for (const auto& [name, head] : heads) {
    if (!chosen.matrix.contains(name) && name != chosen.labels) continue;
    bytes += copies * static_cast<double>(head.file_bytes());
  }
  const std::uint64_t available = available_memory();
  if (available == 0 || bytes <= static_cast<double>(available)) return;
  throw Error(fmt::format(
      "{}: unpacked, it takes more than the {} of memory that are free; save the arrays as "
      "single files with numpy.save",
      path, bytes_as_text(available)));
}

Matrix open_archive(const std::string& path, const Vocabulary* known) {
  constexpr std::uint64_t kHeaderBytes = std::uint64_t{1} << 17;
  const Arrays heads = read_arrays(path, NpyArray::Part::kBeginning,
                                   [](const std::string& /*name*/) { return kHeaderBytes; });
  const Chosen chosen = choose_members(path, heads);
  check_announced(path, chosen, heads, known);
  Arrays members = read_arrays(path, NpyArray::Part::kWhole, [&](const std::string& name) {
    const bool is_read = chosen.matrix.contains(name) || name == chosen.labels;
    return is_read ? heads.at(name).file_bytes() : 0;
  });
  Matrix matrix;
  if (!chosen.labels.empty()) matrix.labels = labels_of_array(members.at(chosen.labels));
  matrix.rows = chosen.is_sparse
                    ? sparse_rows(path, members)
                    : dense_rows(checked(std::move(members.at(*chosen.matrix.begin()))));
  return matrix;
}

class MatrixParser {
 public:
  MatrixParser(const std::string& path, const DataOptions& options, const Vocabulary& vocabulary)
      : path_(path),
        options_(options),
        takes_negative_(vocabulary.weights == FeatureWeights::kCount) {}

  /// Rows of the range become blocks.
  void parse(const MatrixRows& rows, const RowRange& range, const RowLabels& labels,
             BlockCollector& collector, ThreadPool& pool) {
    constexpr std::uint64_t kBlockValues = std::uint64_t{1} << 19;
    const std::uint64_t block_rows = std::max<std::uint64_t>(
        1, kBlockValues / std::max<std::uint64_t>(1, rows.values_per_row()));
    const std::uint64_t round = block_rows * 2 * static_cast<std::uint64_t>(pool.threads());
    for (std::uint64_t begin = range.begin; begin < range.end; begin += round) {
      const std::uint64_t end = std::min(range.end, begin + round);
      std::vector<ParsedBlock> parsed((end - begin + block_rows - 1) / block_rows);
      pool.run(parsed.size(), [&](std::size_t task, int) {
        const std::uint64_t first = begin + task * block_rows;
        const RowRange part = {first, std::min(end, first + block_rows)};
        parsed[task] = convert(rows, part, labels, range.begin);
      });
      for (const ParsedBlock& block : parsed) count_bad(block, collector.report());
      collector.add(std::move(parsed), pool);
    }
  }

 private:
  ParsedBlock convert(const MatrixRows& rows, const RowRange& range, const RowLabels& labels,
                      std::uint64_t first_label) const {
    ParsedBlock block;
    std::vector<FeatureId> features;
    std::vector<double> values;
    for (std::uint64_t row = range.begin; row < range.end; ++row) {
      features.clear();
      values.clear();
      rows.append(row, features, values);
      const std::uint32_t label = labels.numbers[row - first_label];
      std::string problem = problem_of(row, features, values);
      if (problem.empty() && label == StringTable::kNone && options_.require_labels) {
        problem = labels.missing_text(row);
      }
      if (!problem.empty()) {
        if (block.bad_lines++ == 0) block.first_bad_message = std::move(problem);
        if (options_.on_error == OnError::kStop) return block;
        if (!options_.every_row) continue;
        block.gaps.push_back({block.size(), GapKind::kSkipped});
        features.clear();
        values.clear();
      }
      block.labels.push_back(label == StringTable::kNone
                                 ? kNoLabel
                                 : BlockId{block.label_names.find_or_add(labels.names[label])});
      block.features.insert(block.features.end(), features.begin(), features.end());
      for (const double value : values) block.values.push_back(static_cast<float>(value));
      block.ends.push_back(block.features.size());
      if (!features.empty()) block.dimension = std::max(block.dimension, features.back() + 1);
    }
    return block;
  }

  std::string problem_of(std::uint64_t row, const std::vector<FeatureId>& features,
                         const std::vector<double>& values) const {
    const std::size_t bad = find_bad(std::span<const double>(values));
    if (bad < values.size()) return bad_value_text(path_, row, features[bad], values[bad]);
    if (takes_negative_) return {};
    const auto negative =
        std::find_if(values.begin(), values.end(), [](double value) { return value < 0.0; });
    if (negative == values.end()) return {};
    return fmt::format(
        "{}: row {} (counted from 0): the value {} is below zero, but `weights` makes weights of "
        "counts; use `weights count`",
        path_, row, *negative);
  }

  void count_bad(const ParsedBlock& block, ReadReport& report) const {
    if (block.bad_lines == 0) return;
    if (options_.on_error == OnError::kStop) throw Error(block.first_bad_message);
    if (report.skipped_lines == 0) report.first_skipped = block.first_bad_message;
    report.skipped_lines += block.bad_lines;
  }

  const std::string& path_;
  const DataOptions& options_;
  bool takes_negative_;
};

}  // namespace

bool is_numpy_file(const std::string& path) {
  return is_npy(path) || (path.ends_with(".npz") && is_zip(path));
}

bool is_mapped_matrix(const std::string& path) {
  return !is_zip(path) && NpyArray(path).is_usable_in_place();
}

ParsedData parse_matrix(const std::string& path, const DataOptions& options,
                        const Vocabulary* known, const RunContext& run, StoreLimits store) {
  if (is_zip(path) && !run.ranks().is_alone()) {
    throw Error(fmt::format(
        "{}: an archive cannot be read in parts by {} ranks; save its matrix with numpy.save", path,
        run.ranks().ranks()));
  }
  const std::optional<FileStamp> stamp = stamp_of(path);
  check_feature_options(path, false, options, known);
  Matrix matrix =
      is_zip(path) ? open_archive(path, known) : Matrix{dense_rows(checked(NpyArray(path))), {}};
  const MatrixRows& rows = *matrix.rows;
  if (rows.is_dense()) check_weights_of_matrix(path, options, known);
  const FeatureId dimension = checked_dimension(path, rows.shape(), known);
  const std::uint64_t count = rows.shape()[0];
  const RowRange range = share_of_rows(count, run.ranks());
  const bool takes_inner = matrix.labels && options.labels_path.empty();
  const RowLabels labels =
      takes_inner ? std::move(*matrix.labels) : labels_beside(path, count, range, options);
  check_label_count(path, labels.numbers.size(), range.size());
  BlockCollector collector(path, options, known,
                           known != nullptr ? *known : new_vocabulary(false, options),
                           std::move(store));
  MatrixParser(path, options, collector.vocabulary())
      .parse(rows, range, labels, collector, run.pool());
  check_unchanged(path, stamp);
  check_has_rows(path, range.size() - collector.report().skipped_lines, collector.report(),
                 run.ranks());
  return std::move(collector).finish({.is_dense = rows.is_dense(),
                                      .marks_empty = options.every_row && !rows.is_dense(),
                                      .dimension = dimension},
                                     run);
}

}  // namespace cane
