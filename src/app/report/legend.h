// Where names go next to and inside a chart, so that none covers another or a line.
#pragma once

#include <string>
#include <vector>

namespace cane::cli {

/// In pixels, y downwards.
struct Spot {
  double x;
  double y;
};

/// About as wide as a text of this size is drawn.
double text_width(const std::string& text, double font_size);
/// Cut to the width, with an ellipsis where something is missing.
std::string fitted(const std::string& text, double font_size, double width);

/// Heights near the wanted ones (increasing), at least `gap` apart and from low to high where they
/// fit.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

/// For the end of each line (given as its points) whether a text of that width right of it stays
/// left of `right` and clear of all lines and of the texts before it.
std::vector<bool> fitting_labels(const std::vector<std::vector<Spot>>& lines,
                                 const std::vector<double>& widths, double right);

}  // namespace cane::cli
