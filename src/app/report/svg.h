// The frame and the texts of SVG pictures, and places for names next to and inside a chart, so that
// none covers another or a line.
#pragma once

#include <string>
#include <vector>

namespace cane::cli {

inline constexpr double kSvgFont = 12.0;

/// Attributes of a text that stands back behind the others.
inline constexpr const char* kFaint = "class='faint' fill='#666'";

/// The opening of a picture of this size, its style, background and title. Texts of class `ink` and
/// `faint`, rules of class `grid` and lines in a group of class `bright` turn with the screen.
std::string svg_opening(const std::string& title, const std::string& identity, double width,
                        double height);

/// A text; `anchor` is start, middle or end.
std::string svg_text(double x, double y, const char* anchor, const std::string& content,
                     const std::string& attributes = "class='ink' fill='#222'");

/// A position in pixels, y downwards.
struct Spot {
  double x;
  double y;
};

/// Approximate width of a text drawn at this size.
double text_width(const std::string& text, double font_size);
/// The text cut to the width, with an ellipsis if anything was cut.
std::string fitted(const std::string& text, double font_size, double width);

/// Heights near the wanted ones (increasing), at least `gap` apart and, if they fit, between low
/// and high.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace cane::cli
