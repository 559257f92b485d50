// A square table of counts as a picture: who was taken for whom. Self-contained SVG that turns dark
// on a screen that prefers dark colours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cane::cli {

struct HeatMap {
  std::string title;
  std::string row_label;     // what the rows are
  std::string column_label;  // what the columns are
  std::vector<std::string> names;
  std::vector<std::vector<std::uint64_t>> counts;  // rows of as many columns as there are names
  std::vector<std::uint64_t> row_totals;           // a cell is as dark as its share of this
};

/// `identity` makes element names unique among several pictures on one page. The diagonal has a
/// colour of its own.
std::string as_svg(const HeatMap& map, const std::string& identity);

}  // namespace cane::cli
