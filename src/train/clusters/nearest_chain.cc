#include "train/clusters/nearest_chain.h"

#include <algorithm>
#include <utility>

namespace cane {

std::vector<std::uint32_t> nearest_chain(std::span<const double> centres, std::size_t stride,
                                         std::span<const std::uint32_t> columns) {
  std::vector<std::uint32_t> chain(columns.begin(), columns.end());
  if (chain.size() <= 2) return chain;

  std::vector<double> products(stride * stride, 0.0);
  for (std::size_t i = 0; i < centres.size(); i += stride) {
    const double* row = centres.data() + i;
    for (const std::uint32_t a : columns) {
      double* sums = products.data() + a * stride;
      for (std::size_t b = 0; b < stride; ++b) sums[b] += row[a] * row[b];
    }
  }
  const auto distance = [&](std::size_t a, std::size_t b) {
    return products[a * stride + a] + products[b * stride + b] - 2.0 * products[a * stride + b];
  };
  const auto spread = [&](std::uint32_t a) {
    double sum = 0.0;
    for (const std::uint32_t b : columns) sum += distance(a, b);
    return sum;
  };

  std::swap(chain.front(), *std::ranges::max_element(chain, {}, spread));
  for (auto next = chain.begin() + 1; next != chain.end(); ++next) {
    std::sort(next, chain.end());
    const auto nearest = std::min_element(next, chain.end(), [&](auto a, auto b) {
      return distance(*(next - 1), a) < distance(*(next - 1), b);
    });
    std::swap(*next, *nearest);
  }
  return chain;
}

}  // namespace cane
