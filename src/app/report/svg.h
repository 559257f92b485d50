// What all pictures of a report have in common.
#pragma once

#include <string>

namespace cane::cli {

inline constexpr double kSvgFont = 12.0;

/// The opening of a picture of this size, its style, background and title. Texts of class `ink` and
/// `faint`, rules of class `grid` and lines in a group of class `bright` turn with the screen.
std::string svg_opening(const std::string& title, const std::string& identity, double width,
                        double height);

/// A text; `anchor` is start, middle or end.
std::string svg_text(double x, double y, const char* anchor, const std::string& content,
                     const std::string& attributes = "class='ink' fill='#222'");

}  // namespace cane::cli
