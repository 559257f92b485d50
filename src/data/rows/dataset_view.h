// Read-only rows of a dataset: features, class, weight. It copies nothing and owns nothing; what it
// points to may be a memory-mapped file larger than memory. The bias feature is not stored: whoever
// scores a row adds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "core/base/types.h"

namespace cane {

enum class ElementType : std::uint8_t { kFloat32, kFloat64, kUint8 };

class DatasetView {
 public:
  struct Sparse {
    std::span<const std::uint64_t> offsets;  // stored rows + 1
    const FeatureId* indices = nullptr;
    const float* values = nullptr;
    std::span<const std::uint64_t> rows = {};  // example -> stored row; empty: the same
    bool mapped = false;                       // all of it lies in a file mapped into memory
  };
  struct Dense {
    const std::byte* matrix = nullptr;  // rows x dimension, row-major
    ElementType type = ElementType::kFloat32;
    bool normalize = false;               // scale each row to length one when it is read
    std::span<const std::uint64_t> rows;  // example -> stored row; empty: the same
    bool mapped = false;                  // as above
  };

  DatasetView() = default;
  DatasetView(Sparse features, FeatureId dimension, std::span<const ClassId> labels,
              std::span<const float> weights);
  DatasetView(Dense features, FeatureId dimension, std::span<const ClassId> labels,
              std::span<const float> weights);

  std::size_t size() const { return labels_.size(); }
  FeatureId dimension() const { return dimension_; }
  bool is_dense() const { return is_dense_; }

  /// kUnknownClass where there is no label, or none that training saw.
  ClassId label(std::size_t example) const { return labels_[example]; }
  float weight(std::size_t example) const { return weights_.empty() ? 1.0F : weights_[example]; }

  std::span<const ClassId> labels() const { return labels_; }
  /// None: all are one.
  std::span<const float> weights() const { return weights_; }

  /// `scratch` holds dimension() floats; a dense row that must be converted is written there. Rows
  /// that need no conversion point into the data itself.
  RowView row(std::size_t example, std::span<float> scratch) const;

  /// Asks for what row() will read of an example. Call it for a batch with part 0, then with part
  /// 1: the second needs what the first fetched.
  void prefetch(std::size_t example, int part) const;

  /// Where the features of an example lie among all that the data behind this view has.
  std::uint64_t stored_row(std::size_t example) const {
    const std::span<const std::uint64_t> rows = stored_row_list();
    return rows.empty() ? example : rows[example];
  }
  /// Other examples of the same data: one for each stored row in `rows`, in that order.
  DatasetView with_rows(std::span<const std::uint64_t> rows, std::span<const ClassId> labels,
                        std::span<const float> weights) const;

  /// The same examples with their features elsewhere.
  DatasetView with_features(const Sparse& features) const {
    return {features, dimension_, labels_, weights_};
  }
  DatasetView with_features(const Dense& features) const {
    return {features, dimension_, labels_, weights_};
  }
  const Sparse& sparse() const { return sparse_; }
  const Dense& dense() const { return dense_; }
  /// What a row takes, where they are dense.
  std::size_t dense_row_bytes() const;

  /// Whether features lie in a mapped file, row after row.
  bool is_mapped() const;
  /// Hints about the features of examples [begin, end): they are needed soon, or not. Without
  /// effect unless they are mapped.
  void fetch_rows(std::size_t begin, std::size_t end) const;
  void drop_rows(std::size_t begin, std::size_t end) const;

  bool has_weights() const { return !weights_.empty(); }
  /// The number of feature values over all examples.
  std::uint64_t stored_values() const;
  /// Examples without a single value; none where rows are dense.
  std::uint64_t empty_rows() const;
  /// All of it together, wherever it lies.
  std::uint64_t stored_bytes() const;
  /// The share of the features that an example has.
  double density() const;

 private:
  std::span<const std::uint64_t> stored_row_list() const {
    return is_dense_ ? dense_.rows : sparse_.rows;
  }
  /// What the features of examples [begin, end) take, if they lie row after row.
  std::array<std::span<const std::byte>, 3> feature_bytes(std::size_t begin, std::size_t end) const;

  Sparse sparse_;
  Dense dense_;
  bool is_dense_ = false;
  FeatureId dimension_ = 0;
  std::span<const ClassId> labels_;
  std::span<const float> weights_;
};

/// The weight of the examples of each class, 1 each where there are no weights. Examples without a
/// class are passed over.
std::vector<double> class_counts(const DatasetView& data, std::uint32_t classes);

}  // namespace cane
