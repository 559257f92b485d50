#include "train/start/leave_one_out.h"

#include <cstdint>

namespace cane {
namespace {

double square(const RowView& row) {
  double sum = 0.0;
  for (std::uint32_t p = 0; p < row.count; ++p) {
    sum += static_cast<double>(row.values[p]) * static_cast<double>(row.values[p]);
  }
  return sum;
}

// Both rows list their features in increasing order, or all of them.
double product(const RowView& a, const RowView& b) {
  double sum = 0.0;
  std::uint32_t p = 0;
  std::uint32_t q = 0;
  while (p < a.count && q < b.count) {
    const auto feature_a = a.indices == nullptr ? p : a.indices[p];
    const auto feature_b = b.indices == nullptr ? q : b.indices[q];
    if (feature_a == feature_b) {
      sum += static_cast<double>(a.values[p]) * static_cast<double>(b.values[q]);
    }
    p += feature_a <= feature_b ? 1 : 0;
    q += feature_b <= feature_a ? 1 : 0;
  }
  return sum;
}

}  // namespace

std::optional<float> leave_one_out_change(const RowView& row, const RowView& centre, double weight,
                                          double class_weight) {
  return leave_one_out_change({square(row), product(row, centre), square(centre)}, weight,
                              class_weight);
}

std::optional<float> leave_one_out_change(const OwnProducts& products, double weight,
                                          double class_weight) {
  constexpr double kLeastRest = 1e-6;  // of the class, so that rounding does not pass for a rest
  const double rest = class_weight - weight;
  if (rest <= kLeastRest * class_weight) return std::nullopt;
  // The mean of the others is mu + a (mu - x).
  const double a = weight / rest;
  const auto [x_x, x_mean, mean_mean] = products;
  const double x_other = x_mean + a * (x_mean - x_x);
  const double other_other =
      (1.0 + a) * (1.0 + a) * mean_mean - 2.0 * a * (1.0 + a) * x_mean + a * a * x_x;
  return static_cast<float>((x_other - 0.5 * other_other) - (x_mean - 0.5 * mean_mean));
}

}  // namespace cane
