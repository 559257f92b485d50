#include "app/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/markup.h"

namespace cane::cli {
namespace {

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
      ".faint{fill:#a3a8b0}.grid{stroke:#363a43}.bright{filter:brightness(1.4)}}</style>\n";
  svg += fmt::format("<rect class='paper' width='{}' height='{}' fill='#fff'/>\n", width, height);
  return svg + svg_text(16.0, 26.0, "start", title,
                        "class='ink' fill='#222' font-size='15' font-weight='600'");
}

}  // namespace cane::cli
