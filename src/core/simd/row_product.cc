#include "core/simd/row_product.h"

#include <cassert>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/row_product.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first factor, as it lies or turned over.
struct Plain {
  static constexpr bool kAdds = false;
  static constexpr std::size_t place(std::size_t row, std::size_t k, std::size_t pitch) {
    return row * pitch + k;
  }
};
struct Adding : Plain {
  static constexpr bool kAdds = true;
};
struct AddingTurned {
  static constexpr bool kAdds = true;
  static constexpr std::size_t place(std::size_t row, std::size_t k, std::size_t pitch) {
    return k * pitch + row;
  }
};

// A tile of the result is kept in registers: kRows rows of kVectors vectors each.
template <class Tag, std::size_t kRows, std::size_t kVectors, class Mode>
HWY_INLINE void product_tile(const float* HWY_RESTRICT a, std::size_t a_pitch,
                             const float* HWY_RESTRICT b, std::size_t b_pitch,
                             float* HWY_RESTRICT c, std::size_t c_pitch, std::size_t depth) {
  const Tag tag;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  hn::Vec<Tag> sums[kRows][kVectors];
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = Mode::kAdds ? hn::LoadU(tag, c + r * c_pitch + v * kLanes) : hn::Zero(tag);
    }
  }
  for (std::size_t k = 0; k < depth; ++k) {
    hn::Vec<Tag> row[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      row[v] = hn::LoadU(tag, b + k * b_pitch + v * kLanes);
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(tag, a[Mode::place(r, k, a_pitch)]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(factor, row[v], sums[r][v]);
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], tag, c + r * c_pitch + v * kLanes);
    }
  }
}

// Tiles of kRows rows from row `first` on, as many as there are; returns the row after them.
template <class Tag, std::size_t kRows, std::size_t kVectors, class Mode>
HWY_INLINE std::size_t product_tiles(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t first,
                                     std::size_t rows, std::size_t depth, std::size_t column) {
  for (; first + kRows <= rows; first += kRows) {
    product_tile<Tag, kRows, kVectors, Mode>(a.data + Mode::place(first, 0, a.pitch), a.pitch,
                                             b.data + column, b.pitch,
                                             c.data + first * c.pitch + column, c.pitch, depth);
  }
  return first;
}

template <class Tag, std::size_t kRows, std::size_t kVectors, class Mode>
HWY_INLINE void product_rows(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows,
                             std::size_t depth, std::size_t column) {
  std::size_t r = product_tiles<Tag, kRows, kVectors, Mode>(a, b, c, 0, rows, depth, column);
  r = product_tiles<Tag, 4, kVectors, Mode>(a, b, c, r, rows, depth, column);
  product_tiles<Tag, 1, kVectors, Mode>(a, b, c, r, rows, depth, column);
}

// The rows of a tile, so that its sums and a row of b fill the registers.
constexpr std::size_t kRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM ? 32 : 16;
constexpr std::size_t kTileRows = kRegisters == 32 ? 12 : 6;

template <class Mode>
HWY_INLINE void product(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
                        std::size_t columns) {
  using Wide = hn::CappedTag<float, 16>;
  using Narrow = hn::CappedTag<float, kProductMultiple>;
  constexpr std::size_t kWide = 2 * hn::MaxLanes(Wide());
  constexpr std::size_t kNarrowVectors = kProductMultiple / hn::MaxLanes(Narrow());
  std::size_t column = 0;
  for (; column + kWide <= columns; column += kWide) {
    product_rows<Wide, kTileRows, 2, Mode>(a, b, c, rows, depth, column);
  }
  for (; column < columns; column += kProductMultiple) {
    product_rows<Narrow, kTileRows, kNarrowVectors, Mode>(a, b, c, rows, depth, column);
  }
}

void multiply_on_target(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
                        std::size_t columns) {
  product<Plain>(a, b, c, rows, depth, columns);
}

void multiply_and_add_on_target(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows,
                                std::size_t depth, std::size_t columns) {
  product<Adding>(a, b, c, rows, depth, columns);
}

void multiply_turned_and_add_on_target(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows,
                                       std::size_t depth, std::size_t columns) {
  product<AddingTurned>(a, b, c, rows, depth, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(multiply_on_target);
HWY_EXPORT(multiply_and_add_on_target);
HWY_EXPORT(multiply_turned_and_add_on_target);

void multiply(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
              std::size_t columns) {
  assert(columns % kProductMultiple == 0);
  HWY_DYNAMIC_DISPATCH(multiply_on_target)(a, b, c, rows, depth, columns);
}

void multiply_and_add(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows, std::size_t depth,
                      std::size_t columns) {
  assert(columns % kProductMultiple == 0);
  HWY_DYNAMIC_DISPATCH(multiply_and_add_on_target)(a, b, c, rows, depth, columns);
}

void multiply_turned_and_add(ConstMatrix a, ConstMatrix b, Matrix c, std::size_t rows,
                             std::size_t depth, std::size_t columns) {
  assert(columns % kProductMultiple == 0);
  HWY_DYNAMIC_DISPATCH(multiply_turned_and_add_on_target)(a, b, c, rows, depth, columns);
}

}  // namespace cane
#endif
