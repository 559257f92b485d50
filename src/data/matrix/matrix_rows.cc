#include "data/matrix/matrix_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cane/error.h"
#include "core/base/bad_line.h"

namespace cane {
namespace {

class DenseMatrix final : public MatrixRows {
 public:
  explicit DenseMatrix(NpyArray matrix) : matrix_(std::move(matrix)) {}

  std::vector<std::uint64_t> shape() const override { return matrix_.shape(); }
  bool is_dense() const override { return true; }
  std::uint64_t values_per_row() const override { return matrix_.shape()[1]; }
  void append(std::uint64_t row, std::vector<FeatureId>& features,
              std::vector<double>& values) const override {
    const std::size_t begin = values.size();
    values.resize(begin + matrix_.shape()[1]);
    matrix_.row(row, std::span(values).subspan(begin));
    std::size_t kept = begin;
    for (std::size_t at = begin; at < values.size(); ++at) {
      if (values[at] == 0.0) continue;
      features.push_back(static_cast<FeatureId>(at - begin));
      values[kept++] = values[at];
    }
    values.resize(kept);
  }

 private:
  NpyArray matrix_;
};

class SparseMatrix final : public MatrixRows {
 public:
  SparseMatrix(const std::string& name, std::map<std::string, NpyArray>& members) : name_(name) {
    shape_ = whole_numbers(member(members, "shape"));
    if (shape_.size() != 2) throw_damaged("its shape has not two numbers");
    const std::string format = format_of(members);
    if (format != "csr" && format != "csc") {
      throw Error(fmt::format("{}: sparse matrices of format {} are not read; save X.tocsr()",
                              name_, in_quotes(format)));
    }
    ends_ = whole_numbers(member(members, "indptr"));
    indices_ = whole_numbers(member(members, "indices"));
    const NpyArray& data = member(members, "data");
    if (data.shape().size() != 1 || !data.is_numeric()) throw_damaged("its data are no numbers");
    values_.resize(data.size());
    for (std::uint64_t i = 0; i < data.size(); ++i) values_[i] = data.number(i);
    const bool by_columns = format == "csc";
    check(shape_[by_columns ? 1 : 0], shape_[by_columns ? 0 : 1]);
    if (by_columns) turn_to_rows();
  }

  std::vector<std::uint64_t> shape() const override { return shape_; }
  bool is_dense() const override { return false; }
  std::uint64_t values_per_row() const override {
    return values_.size() / std::max<std::uint64_t>(1, shape_[0]) + 1;
  }
  void append(std::uint64_t row, std::vector<FeatureId>& features,
              std::vector<double>& values) const override {
    std::vector<std::pair<std::uint64_t, double>> entries;
    for (std::uint64_t i = ends_[row]; i < ends_[row + 1]; ++i) {
      entries.emplace_back(indices_[i], values_[i]);
    }
    // SciPy adds up what is there twice, and does not promise an order.
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [column, value] : entries) {
      if (column == last) {
        values.back() += value;
        continue;
      }
      last = column;
      features.push_back(static_cast<FeatureId>(column));
      values.push_back(value);
    }
  }

 private:
  [[noreturn]] void throw_damaged(const char* what) const {
    throw Error(
        fmt::format("{}: this is no sparse matrix of SciPy ({}); write it with "
                    "scipy.sparse.save_npz",
                    name_, what));
  }

  const NpyArray& member(const std::map<std::string, NpyArray>& members, const char* key) const {
    const auto found = members.find(key);
    if (found == members.end()) throw_damaged("a member is missing");
    return found->second;
  }

  std::string format_of(const std::map<std::string, NpyArray>& members) const {
    const NpyArray& format = member(members, "format");
    if (format.size() != 1) throw_damaged("its format is no text");
    return format.text(0);
  }

  std::vector<std::uint64_t> whole_numbers(const NpyArray& array) const {
    if (array.shape().size() != 1 || (array.kind() != 'i' && array.kind() != 'u')) {
      throw_damaged("its indices are no whole numbers");
    }
    std::vector<std::uint64_t> numbers(array.size());
    for (std::uint64_t i = 0; i < array.size(); ++i) {
      const double number = array.number(i);
      if (number < 0.0 || number >= 0x1p53) throw_damaged("an index is out of range");
      numbers[i] = static_cast<std::uint64_t>(number);
    }
    return numbers;
  }

  /// The lines are rows or columns, the fields what crosses them.
  void check(std::uint64_t lines, std::uint64_t fields) const {
    const bool fits = lines < ends_.size() && ends_.size() == lines + 1 && ends_.front() == 0 &&
                      ends_.back() == values_.size() && indices_.size() == values_.size() &&
                      std::is_sorted(ends_.begin(), ends_.end()) &&
                      std::all_of(indices_.begin(), indices_.end(),
                                  [&](std::uint64_t index) { return index < fields; });
    if (!fits) throw_damaged("its members do not fit together");
  }

  void turn_to_rows() {
    // Nothing in the file is as large as the number of rows may be.
    constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 24;
    if (shape_[0] > kMaxRows) {
      throw Error(fmt::format("{}: {} rows are too many for a matrix by columns; save X.tocsr()",
                              name_, shape_[0]));
    }
    std::vector<std::uint64_t> ends(shape_[0] + 1);
    for (const std::uint64_t row : indices_) ++ends[row + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint64_t> next(ends.begin(), ends.end() - 1);
    std::vector<std::uint64_t> columns(indices_.size());
    std::vector<double> values(values_.size());
    for (std::uint64_t column = 0; column + 1 < ends_.size(); ++column) {
      for (std::uint64_t i = ends_[column]; i < ends_[column + 1]; ++i) {
        const std::uint64_t place = next[indices_[i]]++;
        columns[place] = column;
        values[place] = values_[i];
      }
    }
    ends_ = std::move(ends);
    indices_ = std::move(columns);
    values_ = std::move(values);
  }

  const std::string& name_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint64_t> indices_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<MatrixRows> dense_rows(NpyArray matrix) {
  return std::make_unique<DenseMatrix>(std::move(matrix));
}

std::unique_ptr<MatrixRows> sparse_rows(const std::string& name,
                                        std::map<std::string, NpyArray>& members) {
  return std::make_unique<SparseMatrix>(name, members);
}

}  // namespace cane
