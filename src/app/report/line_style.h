// How the lines of a chart are told apart: by colour, by dashes and by the shape of the markers, so
// that no one of them is needed. The colours are distinct for the colour-blind and have enough
// contrast to white and to black.
#pragma once

#include <cstddef>
#include <string>

namespace cane::cli {

struct LineStyle {
  const char* colour;
  const char* dashes;  // of stroke-dasharray
  std::size_t shape;
  bool hollow;
};

/// Eighteen that differ, then from the beginning.
LineStyle line_style(std::size_t index);

/// An SVG element with its middle at (x, y).
std::string marker(const LineStyle& style, double x, double y);

}  // namespace cane::cli
