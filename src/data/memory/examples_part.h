// Some of the examples in memory, as examples of their own: for trials on a sample.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cane/examples.h"

namespace cane {

/// Texts are shared with the whole, rows and classes are copied. Sparse rows must be well formed.
class ExamplesPart {
 public:
  ExamplesPart(const Examples& all, std::span<const std::uint32_t> chosen);
  ExamplesPart(const ExamplesPart&) = delete;
  ExamplesPart& operator=(const ExamplesPart&) = delete;

  /// With the labels that the chosen examples have. Valid as long as this object.
  const Examples& examples() const { return part_; }

 private:
  void take_rows(const SparseRows& rows, std::span<const std::uint32_t> chosen);
  void drop_unused_labels();

  Examples part_;
  std::vector<std::uint32_t> classes_;
  std::vector<std::string_view> texts_;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> indices_;
  std::vector<float> values_;
};

}  // namespace cane
