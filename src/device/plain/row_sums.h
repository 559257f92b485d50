// Adds up the sorted entries of each row and updates it once. Rows that many examples share, such
// as those near the root of a tree, are cut into pieces at every 64th entry, so that no lane adds
// up more: a row within a piece is updated at once, the pieces of the others are kept and joined in
// order. The sums have the same order on every run.
//
// Steps give, for an entry, part(entry, column) and a scalar(entry), and take their sums in
// prepare(row, scalar) and finish(row, column, prepared, sum of parts, sum of their squares).
#pragma once

#include <cstdint>

#include "device/plain/entries.h"

namespace cane::device {

inline constexpr std::uint32_t kPiece = 64;

/// Sums of the pieces of rows that are cut: for each 64 entries that of the row that begins before
/// them, and that of the row that goes on behind them. A sum is [parts | squares | scalar].
struct PieceSums {
  float* sums = nullptr;
  std::uint64_t pitch = 0;

  /// Floats of a sum.
  static constexpr std::uint64_t pitch_for(std::uint64_t columns) { return 2 * columns + 1; }
  /// The number of sums for this many entries.
  static constexpr std::uint64_t count_for(std::uint64_t entries) {
    return 2 * ((entries + kPiece - 1) / kPiece);
  }
  CANE_HOST_DEVICE float* of(std::uint32_t begin) const {
    return sums + (2 * (begin / kPiece) + (begin % kPiece == 0 ? 0 : 1)) * pitch;
  }
};

/// An item is a sorted entry; the first one of a piece adds it up.
template <typename Steps>
struct SumPiece {
  Steps steps;
  std::uint64_t rows;
  SortedEntries sorted;
  PieceSums pieces;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const auto begin = static_cast<std::uint32_t>(item);
    const std::uint32_t row = sorted.rows[begin];
    if (row >= rows) return;
    const bool is_first = begin == 0 || sorted.rows[begin - 1] != row;
    if (!is_first && begin % kPiece != 0) return;
    std::uint32_t end = begin + 1;
    while (end % kPiece != 0 && end < sorted.count && sorted.rows[end] == row) ++end;
    const bool is_last = end == sorted.count || sorted.rows[end] != row;
    const bool is_whole = is_first && is_last;

    float scalar = 0.0F;
    for (std::uint32_t p = begin; p < end; ++p) scalar += steps.scalar(sorted.order[p]);
    const float prepared = is_whole ? steps.prepare(row, scalar, lanes) : 0.0F;
    const std::uint32_t columns = steps.columns();
    float* kept = pieces.of(begin);
    for (std::uint32_t c = lanes.from(0); c < columns; c += lanes.stride()) {
      float sum = 0.0F;
      float squares = 0.0F;
      for (std::uint32_t p = begin; p < end; ++p) {
        const float part = steps.part(sorted.order[p], c);
        sum += part;
        squares += part * part;
      }
      if (is_whole) {
        steps.finish(row, c, prepared, sum, squares);
      } else {
        kept[c] = sum;
        kept[columns + c] = squares;
      }
    }
    if (!is_whole && lanes.owns(0)) kept[2 * columns] = scalar;
  }
};

/// Joins the pieces of a row. An item is 64 sorted entries, in which at most one row begins that
/// goes on behind them.
template <typename Steps>
struct JoinPieces {
  Steps steps;
  std::uint64_t rows;
  SortedEntries sorted;
  PieceSums pieces;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t item, const Lanes& lanes) const {
    const std::uint32_t first = static_cast<std::uint32_t>(item) * kPiece;
    const std::uint32_t next = first + kPiece;
    if (next >= sorted.count) return;
    const std::uint32_t row = sorted.rows[next - 1];
    if (row >= rows || sorted.rows[next] != row) return;
    std::uint32_t begin = next - 1;
    while (begin > first && sorted.rows[begin - 1] == row) --begin;
    if (begin == first && first > 0 && sorted.rows[first - 1] == row) return;
    std::uint32_t after = next;  // the piece behind the row
    while (after < sorted.count && sorted.rows[after] == row) after += kPiece;

    const std::uint32_t columns = steps.columns();
    float scalar = pieces.of(begin)[2 * columns];
    for (std::uint32_t p = next; p < after; p += kPiece) scalar += pieces.of(p)[2 * columns];
    const float prepared = steps.prepare(row, scalar, lanes);
    for (std::uint32_t c = lanes.from(0); c < columns; c += lanes.stride()) {
      float sum = pieces.of(begin)[c];
      float squares = pieces.of(begin)[columns + c];
      for (std::uint32_t p = next; p < after; p += kPiece) {
        sum += pieces.of(p)[c];
        squares += pieces.of(p)[columns + c];
      }
      steps.finish(row, c, prepared, sum, squares);
    }
  }
};

}  // namespace cane::device
