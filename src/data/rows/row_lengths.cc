#include "data/rows/row_lengths.h"

#include <algorithm>
#include <cmath>

namespace cane {

std::vector<std::size_t> sample_examples(std::size_t size) {
  constexpr std::size_t kStretches = 16;
  constexpr std::size_t kLength = 64;
  std::vector<std::size_t> examples;
  if (size <= kStretches * kLength) {
    for (std::size_t e = 0; e < size; ++e) examples.push_back(e);
    return examples;
  }
  for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
    const std::size_t begin = (size - kLength) / (kStretches - 1) * stretch;
    for (std::size_t i = 0; i < kLength; ++i) examples.push_back(begin + i);
  }
  return examples;
}

float row_length(const RowView& row) {
  double squares = 0.0;
  for (std::uint32_t i = 0; i < row.count; ++i) {
    const auto value = static_cast<double>(row.values[i]);
    squares += value * value;
  }
  return static_cast<float>(std::sqrt(squares));
}

RowLengths quantiles_of(std::vector<float> lengths) {
  std::erase_if(lengths, [](float length) { return !(length > 0.0F); });
  if (lengths.empty()) return {};
  std::ranges::sort(lengths);
  const auto at = [&](double share) {
    return lengths[static_cast<std::size_t>(share * static_cast<double>(lengths.size() - 1))];
  };
  return {at(0.05), at(0.5), at(0.95)};
}

RowLengths measure_lengths(const DatasetView& view) {
  std::vector<float> scratch(view.is_dense() ? view.dimension() : 0);
  std::vector<float> lengths;
  for (const std::size_t example : sample_examples(view.size())) {
    lengths.push_back(row_length(view.row(example, scratch)));
  }
  return quantiles_of(std::move(lengths));
}

}  // namespace cane
