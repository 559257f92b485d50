#include "data/npy/npy_scan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace cane {
namespace {

template <typename Element>
std::vector<BadValue> scan(const NpyArray& matrix, bool first_only, ThreadPool& pool) {
  constexpr std::uint64_t kStripeElements = std::uint64_t{1} << 20;
  const auto* const values = reinterpret_cast<const Element*>(matrix.data().data());
  const std::uint64_t rows = matrix.shape()[0];
  const std::uint64_t columns = matrix.shape()[1];
  const std::uint64_t stripe_rows = std::max<std::uint64_t>(1, kStripeElements / columns);
  const std::uint64_t stripes = (rows + stripe_rows - 1) / stripe_rows;
  // False for NaN, too.
  const auto is_good = [](Element value) {
    return std::abs(value) <= Element{std::numeric_limits<float>::max()};
  };
  std::vector<std::vector<BadValue>> found(stripes);
  pool.run(stripes, [&](std::size_t stripe, int) {
    const std::uint64_t end = std::min(rows, (stripe + 1) * stripe_rows);
    for (std::uint64_t row = stripe * stripe_rows; row < end; ++row) {
      const Element* const begin = values + row * columns;
      const Element* const bad = std::find_if_not(begin, begin + columns, is_good);
      if (bad == begin + columns) continue;
      found[stripe].push_back({row, static_cast<std::uint64_t>(bad - begin), double{*bad}});
      if (first_only) return;
    }
  });
  std::vector<BadValue> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::vector<BadValue> find_bad_rows(const NpyArray& matrix, ElementType type, bool first_only,
                                    ThreadPool& pool) {
  switch (type) {
    case ElementType::kFloat32:
      return scan<float>(matrix, first_only, pool);
    case ElementType::kFloat64:
      return scan<double>(matrix, first_only, pool);
    case ElementType::kUint8:
      break;
  }
  return {};
}

}  // namespace cane
