#include "core/noise/alias_table.h"

#include <cassert>
#include <cstddef>

namespace cane {

AliasTable::AliasTable(std::span<const double> masses, double total) {
  assert(!masses.empty());
  cells_.reserve(masses.size());
  std::vector<ClassId> short_of_full;
  std::vector<ClassId> lenders;
  const double scale = static_cast<double>(masses.size()) / total;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto outcome = static_cast<ClassId>(i);
    cells_.push_back({masses[i] * scale, outcome});
    (cells_.back().own < 1.0 ? short_of_full : lenders).push_back(outcome);
  }
  while (!short_of_full.empty() && !lenders.empty()) {
    AliasCell& cell = cells_[short_of_full.back()];
    short_of_full.pop_back();
    cell.lender = lenders.back();
    AliasCell& lender = cells_[cell.lender];
    // Adding first preserves the digits of a lender that is only slightly more than full.
    lender.own = (lender.own + cell.own) - 1.0;
    if (lender.own < 1.0) {
      lenders.pop_back();
      short_of_full.push_back(cell.lender);
    }
  }
  // Cells left over because of rounding are full.
  for (const ClassId outcome : short_of_full) cells_[outcome].own = 1.0;
  for (const ClassId outcome : lenders) cells_[outcome].own = 1.0;
}

}  // namespace cane
