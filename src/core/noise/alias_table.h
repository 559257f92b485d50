// A discrete law on 0 .. n-1 with O(1) draws (Walker's alias method, with Vose's construction).
// Every outcome has a cell of equal probability; an outcome with less than its share fills its cell
// from an outcome that has more.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/host_device.h"
#include "core/base/types.h"

namespace cane {

struct AliasCell {
  double own;      // fraction of the cell that belongs to its own outcome
  ClassId lender;  // outcome that owns the rest
  /// Names the bytes that would be padding: cells that are stored are the same for the same law.
  std::uint32_t unused = 0;
};

/// The outcome selected by four independent words of 32 random bits. Host and device.
CANE_HOST_DEVICE inline ClassId alias_draw(const AliasCell* cells, std::uint64_t outcomes,
                                           const std::array<std::uint32_t, 4>& words) {
  const std::uint64_t place = (std::uint64_t{words[1]} << 32) | words[0];
  const std::uint64_t level = (std::uint64_t{words[3]} << 32) | words[2];
  const auto outcome =
      static_cast<ClassId>((static_cast<unsigned __int128>(place) * outcomes) >> 64);
  const AliasCell& cell = cells[outcome];
  return static_cast<double>(level >> 11) * 0x1.0p-53 < cell.own ? outcome : cell.lender;
}

class AliasTable {
 public:
  /// The probability of an outcome is its mass divided by the sum of all masses. There must be at
  /// least one mass; masses and their sum `total` must be positive and finite.
  AliasTable(std::span<const double> masses, double total);

  ClassId draw(const std::array<std::uint32_t, 4>& words) const {
    return alias_draw(cells_.data(), cells_.size(), words);
  }
  std::span<const AliasCell> cells() const { return cells_; }

 private:
  std::vector<AliasCell> cells_;
};

}  // namespace cane
