#include "core/simd/matrix_product.h"

#include <algorithm>
#include <vector>

#include "core/simd/row_product.h"

namespace cane {
namespace {

// The examples are few and the table is large, so the examples are laid out for the kernel and the
// table is read as it lies, once for a block of examples.
constexpr std::size_t kRowsAtOnce = 256;
constexpr std::size_t kClassesAtOnce = 96;
// A square of the result that is turned over in the cache.
constexpr std::size_t kTurned = 8;

// (columns x pitch) from (rows x columns); rows from `rows` to the pitch become zero.
void turn(ConstMatrix from, std::size_t rows, std::size_t columns, Matrix to) {
  for (std::size_t first = 0; first < to.pitch; first += kTurned) {
    for (std::size_t column = 0; column < columns; ++column) {
      float* const target = to.data + column * to.pitch + first;
      for (std::size_t i = 0; i < kTurned; ++i) {
        target[i] = first + i < rows ? from.data[(first + i) * from.pitch + column] : 0.0F;
      }
    }
  }
}

// (rows x classes) from (classes x rows)
void turn_back(ConstMatrix from, std::size_t classes, std::size_t rows, Matrix to) {
  std::size_t k = 0;
  for (; k + kTurned <= classes; k += kTurned) {
    for (std::size_t row = 0; row < rows; ++row) {
      float* const target = to.data + row * to.pitch + k;
      for (std::size_t i = 0; i < kTurned; ++i) target[i] = from.data[(k + i) * from.pitch + row];
    }
  }
  for (; k < classes; ++k) {
    for (std::size_t row = 0; row < rows; ++row) {
      to.data[row * to.pitch + k] = from.data[k * from.pitch + row];
    }
  }
}

struct Scratch {
  std::vector<float> inputs;  // width x rows
  std::vector<float> scores;  // classes x rows
};

}  // namespace

void scores_of_rows(ConstMatrix inputs, std::size_t rows, ConstMatrix table, std::size_t classes,
                    std::size_t width, Matrix scores) {
  thread_local Scratch scratch;
  for (std::size_t row = 0; row < rows; row += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - row);
    const std::size_t pitch = (count + kProductMultiple - 1) / kProductMultiple * kProductMultiple;
    scratch.inputs.resize(std::max(scratch.inputs.size(), width * pitch));
    scratch.scores.resize(std::max(scratch.scores.size(), kClassesAtOnce * pitch));
    turn({inputs.data + row * inputs.pitch, inputs.pitch}, count, width,
         {scratch.inputs.data(), pitch});
    for (std::size_t first = 0; first < classes; first += kClassesAtOnce) {
      const std::size_t some = std::min(kClassesAtOnce, classes - first);
      multiply({table.data + first * table.pitch, table.pitch}, {scratch.inputs.data(), pitch},
               {scratch.scores.data(), pitch}, some, width, pitch);
      turn_back({scratch.scores.data(), pitch}, some, count,
                {scores.data + row * scores.pitch + first, scores.pitch});
    }
  }
}

}  // namespace cane
