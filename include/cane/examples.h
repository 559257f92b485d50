// Examples in the caller's memory: rows of numbers, or texts. Dataset::load makes a dataset of them
// without copying rows that training can use as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cane {

/// A matrix of floats, row after row.
struct DenseRows {
  const float* values = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// They lie in a file that is mapped into memory and shared, so that pages may be given back to
  /// the system at any time: training then reads them front to back, whatever the size of memory.
  bool mapped = false;
};

/// Compressed sparse rows: the columns of row i are indices[offsets[i]] up to
/// indices[offsets[i + 1]] without the last, strictly increasing.
struct SparseRows {
  std::span<const std::uint64_t> offsets;  // one more than there are rows
  std::span<const std::uint32_t> indices;
  std::span<const float> values;
  std::size_t columns = 0;
};

/// A text each, in UTF-8. Line ends and control characters count as blanks.
struct Texts {
  std::span<const std::string_view> texts;
};

struct Examples {
  std::variant<DenseRows, SparseRows, Texts> features;
  /// The class of each example, a place in `labels`. Empty: there are no labels, as in prediction.
  std::span<const std::uint32_t> classes = {};
  /// The label of each class; in training a class may be without examples. All different.
  std::vector<std::string> labels = {};
  /// How much each example counts, at least 0; empty: 1 each.
  std::span<const float> weights = {};
  /// What keeps all arrays alive; null: the caller does, as long as a dataset made of them is used.
  std::shared_ptr<const void> owner = {};

  std::size_t size() const;
};

}  // namespace cane
