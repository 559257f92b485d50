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
#include "data/npy/matrix_rows.h"
#include "data/npy/npy.h"
#include "data/text/feature_options.h"
#include "data/text/name_maps.h"
#include "data/text/rarity.h"

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
    members.emplace(name, NpyArray(fmt::format("{}: {}", path, shown(file)), content));
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

class MatrixLoader {
 public:
  MatrixLoader(const std::string& path, const DataOptions& options, const Vocabulary* known,
               ThreadPool& pool, StoreLimits store, Communicator& ranks)
      : path_(path),
        options_(options),
        known_(known),
        pool_(pool),
        ranks_(ranks),
        labels_(known, options.add_labels),
        blocks_(path, std::move(store)) {}

  ParsedText parse() {
    const std::optional<FileStamp> stamp = stamp_of(path_);
    check_feature_options(path_, false, options_, known_);
    Matrix matrix =
        is_zip(path_) ? open_archive(path_) : Matrix{dense_rows(checked(NpyArray(path_))), {}};
    rows_ = std::move(matrix.rows);
    if (rows_->is_dense()) check_weights_of_matrix(path_, options_, known_);
    const FeatureId dimension = checked_dimension(path_, rows_->shape(), known_);
    const std::uint64_t count = rows_->shape()[0];
    range_ = share_of_rows(count, ranks_);
    const bool takes_inner = matrix.labels && options_.labels_path.empty();
    row_labels_ = takes_inner ? std::move(*matrix.labels)
                              : labels_beside(path_, count, range_, options_, ranks_);
    if (row_labels_.numbers.size() != range_.size()) {
      throw Error(fmt::format("{}: {} labels for {} rows; give one label for each row", path_,
                              row_labels_.numbers.size(), count));
    }
    Vocabulary vocabulary = known_ != nullptr ? *known_ : new_vocabulary(false, options_);
    takes_negative_ = vocabulary.weights == FeatureWeights::kCount;
    read_rows();
    check_unchanged(path_, stamp);
    return finish(std::move(vocabulary), dimension);
  }

 private:
  void read_rows() {
    constexpr std::uint64_t kBlockValues = std::uint64_t{1} << 19;
    const std::uint64_t block_rows = std::max<std::uint64_t>(
        1, kBlockValues / std::max<std::uint64_t>(1, rows_->values_per_row()));
    const std::uint64_t round = block_rows * 2 * static_cast<std::uint64_t>(pool_.threads());
    for (std::uint64_t begin = range_.begin; begin < range_.end; begin += round) {
      const std::uint64_t end = std::min(range_.end, begin + round);
      std::vector<ParsedBlock> parsed((end - begin + block_rows - 1) / block_rows);
      pool_.run(parsed.size(), [&](std::size_t task, int) {
        const std::uint64_t first = begin + task * block_rows;
        parsed[task] = convert(first, std::min(end, first + block_rows));
      });
      for (ParsedBlock& block : parsed) join(block);
      blocks_.add(std::move(parsed), pool_);
    }
  }

  ParsedBlock convert(std::uint64_t begin, std::uint64_t end) const {
    ParsedBlock block;
    std::vector<FeatureId> features;
    std::vector<double> values;
    for (std::uint64_t row = begin; row < end; ++row) {
      features.clear();
      values.clear();
      rows_->append(row, features, values);
      const std::uint32_t label = row_labels_.numbers[row - range_.begin];
      std::string problem = problem_of(row, features, values);
      if (problem.empty() && label == StringTable::kNone && options_.require_labels) {
        problem = row_labels_.missing_text(row);
      }
      if (!problem.empty()) {
        if (block.bad_lines++ == 0) block.first_bad_message = std::move(problem);
        if (options_.on_error == OnError::kStop) return block;
        continue;
      }
      block.labels.push_back(label == StringTable::kNone
                                 ? StringTable::kNone
                                 : block.label_names.find_or_add(row_labels_.names[label]));
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

  void join(ParsedBlock& block) {
    if (block.bad_lines > 0) {
      if (options_.on_error == OnError::kStop) throw Error(block.first_bad_message);
      if (report_.skipped_lines == 0) report_.first_skipped = std::move(block.first_bad_message);
      report_.skipped_lines += block.bad_lines;
    }
    num_examples_ += block.labels.size();
    num_values_ += block.features.size();
    for (std::uint32_t label = 0; label < block.label_names.size(); ++label) {
      block.label_numbers.push_back(labels_.number_of(block.label_names[label]));
    }
    block.label_names = {};
  }

  ParsedText finish(Vocabulary vocabulary, FeatureId dimension) {
    const std::uint64_t all_examples = ranks_.sum(num_examples_);
    if (all_examples == 0) {
      throw Error(fmt::format("{}: every row was skipped ({}); the first: {}", path_,
                              report_.skipped_lines, report_.first_skipped));
    }
    const std::vector<std::uint32_t> merged = labels_.merge(ranks_);
    vocabulary.labels = labels_.sorted_labels();
    if (known_ == nullptr) {
      check_classes(path_, vocabulary.labels);
      vocabulary.dimension = dimension;
    }
    report_.unseen_label_names = labels_.unseen();
    const bool is_dense =
        rows_->is_dense() || 2 * ranks_.sum(num_values_) > all_examples * dimension;
    const std::vector<ClassId> classes = labels_.classes();
    std::vector<ClassId> class_of;
    for (const std::uint32_t label : merged) class_of.push_back(classes[label]);
    ParsedText text = {.vocabulary = std::move(vocabulary),
                       .report = std::move(report_),
                       .blocks = std::move(blocks_),
                       .class_of = std::move(class_of),
                       .feature_of = {},
                       .ngrams = {},
                       .num_examples = num_examples_,
                       .num_values = num_values_,
                       .layout = {.is_dense = is_dense, .has_weights = false},
                       .is_training_data = known_ == nullptr};
    if (known_ == nullptr && text.vocabulary.weights == FeatureWeights::kTfidf) {
      text.vocabulary.factors = rarity_factors(text.blocks, text.number_map(), pool_, ranks_);
    }
    return text;
  }

  const std::string& path_;
  const DataOptions& options_;
  const Vocabulary* known_;
  ThreadPool& pool_;
  Communicator& ranks_;
  RowRange range_;  // of this rank
  std::unique_ptr<MatrixRows> rows_;
  RowLabels row_labels_;
  LabelMap labels_;
  BlockStore blocks_;
  ReadReport report_;
  bool takes_negative_ = true;
  std::uint64_t num_examples_ = 0;
  std::uint64_t num_values_ = 0;
};

}  // namespace

bool is_numpy_file(const std::string& path) {
  return is_npy(path) || (path.ends_with(".npz") && is_zip(path));
}

bool is_mapped_matrix(const std::string& path) {
  return !is_zip(path) && NpyArray(path).is_usable_in_place();
}

ParsedText parse_matrix(const std::string& path, const DataOptions& options,
                        const Vocabulary* known, ThreadPool& pool, StoreLimits store,
                        Communicator& ranks) {
  if (is_zip(path) && !ranks.is_alone()) {
    throw Error(fmt::format(
        "{}: an archive cannot be read in parts by {} ranks; save its matrix with numpy.save", path,
        ranks.ranks()));
  }
  return MatrixLoader(path, options, known, pool, std::move(store), ranks).parse();
}

}  // namespace cane
