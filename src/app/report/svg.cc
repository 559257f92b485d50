#include "app/report/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "app/report/markup.h"

namespace cane::cli {

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
