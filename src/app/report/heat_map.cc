#include "app/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/markup.h"
#include "app/report/svg.h"

namespace cane::cli {
namespace {

constexpr double kTitleHeight = 48.0;
constexpr double kCell = 34.0;
constexpr double kMaxName = 180.0;
constexpr double kMargin = 16.0;
constexpr double kGap = 8.0;
constexpr double kMinWidth = 420.0;  // room for the title
constexpr const char* kRight = "#0072b2";
constexpr const char* kWrong = "#d55e00";

class Picture {
 public:
  explicit Picture(const HeatMap& map) : map_(map), size_(map.names.size()) {
    for (const std::string& name : map.names) {
      name_width_ = std::max(name_width_, std::min(text_width(name, kSvgFont), kMaxName));
    }
    left_ = kMargin + name_width_ + kGap;
    // Column names are turned by a right angle, so they need as much height as the others width.
    top_ = kTitleHeight + name_width_ + 3.0 * kGap;
    end_ = static_cast<double>(size_) * kCell;
  }

  std::string svg(const std::string& identity) {
    const double width = std::max(left_ + end_ + kMargin, kMinWidth);
    out_ = svg_opening(map_.title, identity, width, top_ + end_ + kMargin);
    out_ += svg_text(left_ - kGap, top_ - kGap, "end", map_.row_label, kFaint);
    out_ += svg_text(left_, kTitleHeight + kGap, "start", map_.column_label, kFaint);
    for (std::size_t row = 0; row < size_; ++row) draw_names(row);
    for (std::size_t row = 0; row < size_; ++row) {
      for (std::size_t column = 0; column < size_; ++column) draw_cell(row, column);
    }
    return out_ + "</svg>\n";
  }

 private:
  void draw_names(std::size_t i) {
    const std::string name = fitted(map_.names[i], kSvgFont, kMaxName);
    const double middle = (static_cast<double>(i) + 0.5) * kCell + 4.0;
    out_ += svg_text(left_ - kGap, top_ + middle, "end", name);
    out_ += svg_text(0.0, 0.0, "start", name,
                     fmt::format("class='ink' fill='#222' transform='translate({:.1f} {:.1f}) "
                                 "rotate(-90)'",
                                 left_ + middle, top_ - kGap));
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const std::uint64_t count = map_.counts[row][column];
    const double x = left_ + static_cast<double>(column) * kCell;
    const double y = top_ + static_cast<double>(row) * kCell;
    // Few errors among many examples are what the reader looks for: the root makes them visible.
    const double share =
        std::min(1.0, static_cast<double>(count) /
                          static_cast<double>(std::max<std::uint64_t>(map_.row_totals[row], 1)));
    constexpr double kDarkest = 0.75;  // the number stays readable
    out_ += fmt::format(
        "<g><title>{}: {} of {} examples are taken for {}</title>"
        "<rect class='grid' x='{:.1f}' y='{:.1f}' width='{}' height='{}' fill='{}' "
        "fill-opacity='{:.3f}' stroke='#ddd'/>",
        escaped(map_.names[row]), count, map_.row_totals[row], escaped(map_.names[column]), x, y,
        kCell, kCell, row == column ? kRight : kWrong, kDarkest * std::sqrt(share));
    if (count > 0) {
      out_ += svg_text(x + kCell / 2.0, y + kCell / 2.0 + 4.0, "middle", fmt::format("{}", count));
    }
    out_ += "</g>\n";
  }

  const HeatMap& map_;
  std::size_t size_;
  double name_width_ = 0.0;
  double left_ = 0.0;  // of the cells
  double top_ = 0.0;
  double end_ = 0.0;  // height and width of all cells
  std::string out_;
};

}  // namespace

std::string as_svg(const HeatMap& map, const std::string& identity) {
  return Picture(map).svg(identity);
}

}  // namespace cane::cli
