// Converts the rows of a matrix to blocks, which become a dataset as those of a text do.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/bad_line.h"
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

// The first of these members that there is, moved out.
std::optional<NpyArray> take_member(std::map<std::string, NpyArray>& members,
                                    std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto found = members.find(name);
    if (found == members.end()) continue;
    std::optional<NpyArray> array = std::move(found->second);
    members.erase(found);
    return array;
  }
  return std::nullopt;
}

NpyArray checked(NpyArray matrix) {
  if (!matrix.is_numeric()) {
    throw Error(fmt::format("{}: elements of type {} are not read; save X.astype('float32')",
                            matrix.name(), in_quotes(matrix.type())));
  }
  checked_dimension(matrix.name(), matrix.shape(), nullptr);
  return matrix;
}

Matrix open_archive(const std::string& path) {
  constexpr std::string_view kEnding = ".npy";
  std::map<std::string, NpyArray> members;
  std::string names;
  for (auto& [file, content] : read_zip(path)) {
    if (!file.ends_with(kEnding)) continue;
    const std::string name = file.substr(0, file.size() - kEnding.size());
    names += fmt::format("{}{}", names.empty() ? "" : ", ", in_quotes(name));
    members.emplace(name, NpyArray(fmt::format("{}: {}", path, shown(file)), std::move(content)));
  }
  Matrix matrix;
  const bool is_sparse = members.contains("indptr");
  if (std::optional<NpyArray> labels = take_member(members, {"y", "labels", "label", "target"})) {
    matrix.labels = labels_of_array(*labels);
  }
  if (is_sparse) {
    matrix.rows = sparse_rows(path, members);
    return matrix;
  }
  if (!matrix.labels) {
    if (std::optional<NpyArray> second = take_member(members, {"arr_1"})) {
      matrix.labels = labels_of_array(*second);
    }
  }
  std::optional<NpyArray> array = take_member(members, {"X", "x", "features", "data", "arr_0"});
  if (!array) {
    throw Error(fmt::format(
        "{}: no member is known to be the matrix ({}); save it as numpy.savez(FILE, X=X, y=y)",
        path, names.empty() ? "there is none" : names));
  }
  matrix.rows = dense_rows(checked(std::move(*array)));
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
        continue;
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
      is_zip(path) ? open_archive(path) : Matrix{dense_rows(checked(NpyArray(path))), {}};
  const MatrixRows& rows = *matrix.rows;
  if (rows.is_dense()) check_weights_of_matrix(path, options, known);
  const FeatureId dimension = checked_dimension(path, rows.shape(), known);
  const std::uint64_t count = rows.shape()[0];
  const RowRange range = share_of_rows(count, run.ranks());
  const bool takes_inner = matrix.labels && options.labels_path.empty();
  const RowLabels labels =
      takes_inner ? std::move(*matrix.labels) : labels_beside(path, count, range, options);
  if (labels.numbers.size() != range.size()) {
    throw Error(fmt::format("{}: {} labels for {} rows; give one label for each row", path,
                            labels.numbers.size(), count));
  }
  BlockCollector collector(path, options, known,
                           known != nullptr ? *known : new_vocabulary(false, options),
                           std::move(store));
  MatrixParser(path, options, collector.vocabulary())
      .parse(rows, range, labels, collector, run.pool());
  check_unchanged(path, stamp);
  check_has_rows(path, range.size() - collector.report().skipped_lines, collector.report(),
                 run.ranks());
  return std::move(collector).finish({.is_dense = rows.is_dense(), .dimension = dimension}, run);
}

}  // namespace cane
