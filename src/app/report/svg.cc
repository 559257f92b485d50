#include "app/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/markup.h"

namespace cane::cli {
namespace {

struct Box {
  double left;
  double right;
  double top;
  double bottom;
};

bool overlap(const Box& a, const Box& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Samples the line from a to b every few pixels, which is accurate enough for a label.
bool crosses(const Box& box, const Spot& a, const Spot& b) {
  constexpr double kStep = 2.0;
  const int steps = 1 + static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / kStep);
  for (int i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const double x = a.x + share * (b.x - a.x);
    const double y = a.y + share * (b.y - a.y);
    if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
  }
  return false;
}

bool crosses_a_line(const Box& box, const std::vector<std::vector<Spot>>& lines) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::vector<Spot>& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (crosses(box, line[i == 0 ? 0 : i - 1], line[i])) return true;
    }
    return false;
  });
}

// Continuation bytes of UTF-8 take no width.
bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

double text_width(const std::string& text, double font_size) {
  constexpr double kMean = 0.6;  // mean width in wide sans-serif fonts, lower case and digits
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); });
  return kMean * font_size * static_cast<double>(characters);
}

std::string fitted(const std::string& text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return text;
  std::string cut = text;
  while (!cut.empty() && (text_width(cut + "…", font_size) > width)) {
    while (!cut.empty() && is_continuation(cut.back())) cut.pop_back();
    if (!cut.empty()) cut.pop_back();
  }
  return cut + "…";
}

std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<double> heights = wanted;
  double least = low;
  for (double& height : heights) {
    height = std::max(height, least);
    least = height + gap;
  }
  double most = high;
  for (auto height = heights.rbegin(); height != heights.rend(); ++height) {
    *height = std::min(*height, most);
    most = *height - gap;
  }
  return heights;
}

std::vector<bool> fitting_labels(const std::vector<std::vector<Spot>>& lines,
                                 const std::vector<double>& widths, double right) {
  constexpr double kClear = 2.0;  // around the end; the text begins a little to the right
  constexpr double kOffset = 7.0;
  constexpr double kHalfHeight = 8.0;
  std::vector<bool> fits;
  std::vector<Box> taken;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Spot end = lines[i].back();
    const Box box = {end.x + kClear, end.x + kOffset + widths[i] + kOffset, end.y - kHalfHeight,
                     end.y + kHalfHeight};
    const bool is_free =
        box.right <= right && !crosses_a_line(box, lines) &&
        std::none_of(taken.begin(), taken.end(), [&](const Box& b) { return overlap(box, b); });
    fits.push_back(is_free);
    if (is_free) taken.push_back(box);
  }
  return fits;
}

std::string svg_text(double x, double y, const char* anchor, const std::string& content,
                     const std::string& attributes) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' {}>{}</text>\n", x, y, anchor,
                     attributes, escaped(content));
}

// A page shows a picture at most this much larger than it is.
constexpr double kLargest = 1.12;

std::string svg_opening(const std::string& title, const std::string& identity, double width,
                        double height) {
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "style='max-width:{5}px' role='img' aria-labelledby='{2}-title' font-family='system-ui, "
      "\"Segoe UI\", Helvetica, "
      "Arial, sans-serif' font-size='{3}'>\n<title id='{2}-title'>{4}</title>\n",
      width, height, identity, kSvgFont, escaped(title), std::round(kLargest * width));
  svg +=
      "<style>@media (prefers-color-scheme: dark) {.paper{fill:#16181d}.ink{fill:#e6e6e6}"
      ".faint{fill:#a3a8b0}.grid{stroke:#363a43}.halo{stroke:#16181d}.bright{filter:brightness(1."
      "4)}}</style>\n";
  svg += fmt::format("<rect class='paper' width='{}' height='{}' fill='#fff'/>\n", width, height);
  return svg + svg_text(16.0, 26.0, "start", title,
                        "class='ink' fill='#222' font-size='15' font-weight='600'");
}

}  // namespace cane::cli
