// A read-only view of the rows of a dataset: features, class, weight. It copies and owns nothing;
// it may point into a memory-mapped file larger than memory. The bias feature is not stored: code
// that scores a row adds it.
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

  /// kUnknownClass if there is no label, or one not seen in training.
  ClassId label(std::size_t example) const { return labels_[example]; }
  float weight(std::size_t example) const { return weights_.empty() ? 1.0F : weights_[example]; }

  std::span<const ClassId> labels() const { return labels_; }
  /// Empty if all weights are one.
  std::span<const float> weights() const { return weights_; }

  /// `scratch` holds dimension() floats and receives a dense row that must be converted. Rows that
  /// need no conversion point into the data itself.
  RowView row(std::size_t example, std::span<float> scratch) const;

  /// Prefetches what row() will read of an example. Call it for a whole batch with part 0, then
  /// with part 1, which needs the data fetched by part 0.
  void prefetch(std::size_t example, int part) const;

  /// Position of the features of an example within the data behind this view.
  std::uint64_t stored_row(std::size_t example) const {
    const std::span<const std::uint64_t> rows = stored_row_list();
    return rows.empty() ? example : rows[example];
  }
  /// A view of other examples of the same data: one for each stored row in `rows`, in that order.
  DatasetView with_rows(std::span<const std::uint64_t> rows, std::span<const ClassId> labels,
                        std::span<const float> weights) const;

  /// A view of the same examples with other weights.
  DatasetView with_weights(std::span<const float> weights) const {
    return is_dense_ ? DatasetView(dense_, dimension_, labels_, weights)
                     : DatasetView(sparse_, dimension_, labels_, weights);
  }
  /// A view of the same examples with their features stored elsewhere.
  DatasetView with_features(const Sparse& features) const {
    return {features, dimension_, labels_, weights_};
  }
  DatasetView with_features(const Dense& features) const {
    return {features, dimension_, labels_, weights_};
  }
  const Sparse& sparse() const { return sparse_; }
  const Dense& dense() const { return dense_; }
  /// Bytes per row, for dense data.
  std::size_t dense_row_bytes() const;

  /// Whether features are in a mapped file, in row order.
  bool is_mapped() const;
  /// Hints that the features of examples [begin, end) will be needed soon, or not. No effect unless
  /// they are mapped.
  void fetch_rows(std::size_t begin, std::size_t end) const;
  void drop_rows(std::size_t begin, std::size_t end) const;

  bool has_weights() const { return !weights_.empty(); }
  /// The number of feature values over all examples.
  std::uint64_t stored_values() const;
  /// Number of examples without any value; 0 for dense rows.
  std::uint64_t empty_rows() const;
  /// Total size in bytes, in memory or mapped.
  std::uint64_t stored_bytes() const;
  /// Mean fraction of the features that an example has.
  double density() const;

 private:
  std::span<const std::uint64_t> stored_row_list() const {
    return is_dense_ ? dense_.rows : sparse_.rows;
  }
  /// Bytes of the features of examples [begin, end), if they are stored in row order.
  std::array<std::span<const std::byte>, 3> feature_bytes(std::size_t begin, std::size_t end) const;

  Sparse sparse_;
  Dense dense_;
  bool is_dense_ = false;
  FeatureId dimension_ = 0;
  std::span<const ClassId> labels_;
  std::span<const float> weights_;
};

/// Total weight of the examples of each class, 1 each if there are no weights. Examples without a
/// class are ignored.
std::vector<double> class_counts(const DatasetView& data, std::uint32_t classes);

}  // namespace cane
