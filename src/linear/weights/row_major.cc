#include "linear/weights/row_major.h"

#include <algorithm>

namespace cane {
namespace {

// Rows that a thread takes at once.
constexpr std::uint32_t kPiece = 1024;

template <typename Body>
void for_rows(std::uint32_t rows, ThreadPool& pool, const Body& body) {
  pool.run((rows + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
    const auto begin = static_cast<std::uint32_t>(piece * kPiece);
    for (std::uint32_t row = begin; row < std::min(begin + kPiece, rows); ++row) body(row);
  });
}

}  // namespace

RowMajor::Place RowMajor::place_of(std::uint32_t row) const {
  if (tree_ == nullptr) {
    const std::uint32_t width = layout_.widest_stride();
    return {row / width, row % width};
  }
  const NodeId parent = tree_->parent(row);
  return {parent, row - tree_->first_child(parent)};
}

void RowMajor::weights_to_rows(const float* blocks, float* rows, ThreadPool& pool) const {
  const std::size_t length = columns();
  for_rows(rows_, pool, [&](std::uint32_t row) {
    float* const target = rows + row * length;
    if (!has_weights(row)) {
      std::fill_n(target, length, 0.0F);
      return;
    }
    const Place place = place_of(row);
    const std::uint32_t stride = layout_.shape(place.block).stride;
    const float* const source = blocks + layout_.offset(place.block) + place.column;
    for (std::size_t f = 0; f < length; ++f) target[f] = source[f * stride];
  });
}

void RowMajor::weights_to_blocks(const float* rows, float* blocks, ThreadPool& pool) const {
  const std::size_t length = columns();
  for_rows(rows_, pool, [&](std::uint32_t row) {
    if (!has_weights(row)) return;
    const Place place = place_of(row);
    const std::uint32_t stride = layout_.shape(place.block).stride;
    const float* const source = rows + row * length;
    float* const target = blocks + layout_.offset(place.block) + place.column;
    for (std::size_t f = 0; f < length; ++f) target[f * stride] = source[f];
  });
}

void RowMajor::sums_to_rows(const float* blocks, float* rows) const {
  const std::size_t length = columns();
  for (std::uint32_t row = 0; row < rows_; ++row) {
    float* const target = rows + row * length;
    if (has_weights(row)) {
      std::copy_n(blocks + place_of(row).block * length, length, target);
    } else {
      std::fill_n(target, length, 0.0F);
    }
  }
}

void RowMajor::sums_to_blocks(const float* rows, float* blocks) const {
  const std::size_t length = columns();
  std::fill_n(blocks, layout_.node_bound() * length, 0.0F);
  for (std::uint32_t row = 0; row < rows_; ++row) {
    if (!has_weights(row)) continue;
    float* const target = blocks + place_of(row).block * length;
    for (std::size_t f = 0; f < length; ++f) target[f] += rows[row * length + f];
  }
}

void embeddings_to_rows(const BlockLayout& layout, std::uint32_t columns, const float* block,
                        float* rows) {
  const std::uint32_t stride = layout.shape(0).stride;
  for (std::size_t f = 0; f <= layout.dimension(); ++f) {
    std::copy_n(block + f * stride, columns, rows + f * columns);
  }
}

void embeddings_to_block(const BlockLayout& layout, std::uint32_t columns, const float* rows,
                         float* block) {
  const std::uint32_t stride = layout.shape(0).stride;
  for (std::size_t f = 0; f <= layout.dimension(); ++f) {
    std::copy_n(rows + f * columns, columns, block + f * stride);
  }
}

}  // namespace cane
