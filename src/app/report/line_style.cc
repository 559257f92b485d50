#include "app/report/line_style.h"

#include <fmt/format.h>

#include <iterator>

namespace cane::cli {
namespace {

constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#00916a",
                                    "#b8589b", "#8a7500", "#6b7280"};
constexpr std::size_t kColourCount = std::size(kColours);
constexpr const char* kDashes[] = {"none", "6 3", "2 2"};

// Around the origin: circle, square, triangle, diamond, triangle on its tip, cross.
constexpr const char* kShapes[] = {
    "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z",
    "M-2.9 -2.9h5.8v5.8h-5.8z",
    "M0 -3.8L3.6 2.8H-3.6z",
    "M0 -4.1L4.1 0L0 4.1L-4.1 0z",
    "M0 3.8L3.6 -2.8H-3.6z",
    "M-1.2 -3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
};
static_assert(std::size(kShapes) == kColourCount);

}  // namespace

LineStyle line_style(std::size_t index) {
  const std::size_t round = index / kColourCount % std::size(kDashes);
  return {kColours[index % kColourCount], kDashes[round], index % kColourCount, round == 1};
}

std::string marker(const LineStyle& style, double x, double y) {
  return fmt::format(
      "<path d='{}' transform='translate({:.1f} {:.1f})' {} stroke='{}' stroke-width='1.2'/>\n",
      kShapes[style.shape], x, y,
      style.hollow ? "class='paper' fill='#fff'" : fmt::format("fill='{}'", style.colour),
      style.colour);
}

}  // namespace cane::cli
