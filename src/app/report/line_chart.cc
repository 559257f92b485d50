#include "app/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "app/report/markup.h"
#include "app/report/svg.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr double kWidth = 800.0;
constexpr double kHeight = 460.0;
constexpr double kMinLeft = 52.0;  // left of the plot
constexpr double kTickGap = 8.0;
constexpr double kTop = 48.0;
constexpr double kBottom = kHeight - 52.0;
constexpr double kFont = kSvgFont;
constexpr double kLegendLeft = 24.0;  // from the plot
constexpr double kSwatch = 30.0;
constexpr double kMaxWidthName = 230.0;
constexpr double kValueWidth = 50.0;
constexpr double kLegendGap = 19.0;
constexpr double kStroke = 2.0;
constexpr std::size_t kMaxMarkers = 14;

// The text of a tick.
std::string number(double value) {
  constexpr double kThousand = 1000.0;
  return value < kThousand ? fmt::format("{:g}", value)
                           : count_text(static_cast<std::uint64_t>(std::llround(value)));
}

std::string three_digits(double value) {
  constexpr double kHundred = 100.0;
  return value < kHundred ? fmt::format("{:.3g}", value)
                          : count_text(static_cast<std::uint64_t>(std::llround(value)));
}

// Lines differ in colour, dashes and marker shape, so that none of these is needed alone. The
// colours are distinct for colour-blind readers and have enough contrast to white and to black.
struct LineStyle {
  const char* colour;
  const char* dashes;  // value of stroke-dasharray
  std::size_t shape;
  bool hollow;
};

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

/// Eighteen distinct styles, then they repeat.
LineStyle line_style(std::size_t index) {
  const std::size_t round = index / kColourCount % std::size(kDashes);
  return {kColours[index % kColourCount], kDashes[round], index % kColourCount, round == 1};
}

/// An SVG element centred at (x, y).
std::string marker(const LineStyle& style, double x, double y) {
  return fmt::format(
      "<path d='{}' transform='translate({:.1f} {:.1f})' {} stroke='{}' stroke-width='1.2'/>\n",
      kShapes[style.shape], x, y,
      style.hollow ? "class='paper' fill='#fff'" : fmt::format("fill='{}'", style.colour),
      style.colour);
}

class Drawing {
 public:
  explicit Drawing(const LineChart& chart) : chart_(chart) {
    for (const double tick : chart.y.ticks) {
      left_ = std::max(left_, text_width(y_text(tick), kFont) + 2.0 * kTickGap);
    }
    for (const ChartLine& line : chart.lines) {
      name_width_ = std::max(name_width_, std::min(text_width(line.name, kFont), kMaxWidthName));
    }
    value_width_ = chart.shows_last ? kValueWidth : 0.0;
    right_ = kWidth - kLegendLeft - kSwatch - value_width_ - 16.0 - name_width_ - 8.0;
    for (const ChartLine& line : chart.lines) {
      std::vector<Spot>& spots = spots_.emplace_back();
      for (const ChartPoint& point : line.points) {
        spots.push_back({place_x(point.x), place_y(point.y)});
      }
    }
  }

  // Colours that stand out from white are a little dull on black, hence the group.
  std::string svg(const std::string& identity) {
    out_ = svg_opening(chart_.title, identity, kWidth, kHeight);
    draw_axes();
    out_ += "<g class='bright'>\n";
    for (std::size_t i = 0; i < spots_.size(); ++i) draw_line(i);
    draw_legend();
    return out_ + "</g>\n</svg>\n";
  }

 private:
  std::string y_text(double tick) const { return number(tick) + (chart_.in_percent ? "%" : ""); }
  double place_x(double value) const { return left_ + chart_.x.place(value) * (right_ - left_); }
  double place_y(double value) const { return kBottom - chart_.y.place(value) * (kBottom - kTop); }

  void text(double x, double y, const char* anchor, const std::string& content,
            const std::string& attributes = "class='ink' fill='#222'") {
    out_ += svg_text(x, y, anchor, content, attributes);
  }

  void draw_axes() {
    for (const double tick : chart_.y.ticks) {
      const double y = place_y(tick);
      rule(left_, y, right_, y);
      text(left_ - kTickGap, y + 4.0, "end", y_text(tick), kFaint);
    }
    for (const double tick : chart_.x.ticks) {
      const double x = place_x(tick);
      rule(x, kBottom, x, kBottom + 5.0);
      text(x, kBottom + 20.0, "middle", number(tick), kFaint);
    }
    text((left_ + right_) / 2.0, kBottom + 41.0, "middle", chart_.x_label);
  }

  void rule(double x1, double y1, double x2, double y2) {
    out_ += fmt::format(
        "<path class='grid' d='M{:.1f} {:.1f}L{:.1f} {:.1f}' fill='none' stroke='#ddd'/>\n", x1, y1,
        x2, y2);
  }

  void draw_path(const LineStyle& style, double width, const std::vector<Spot>& spots,
                 const std::string& name) {
    std::string path;
    for (const Spot& spot : spots) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', spot.x, spot.y);
    }
    out_ += fmt::format(
        "<path d='{}' fill='none' stroke='{}' stroke-width='{}' stroke-dasharray='{}' "
        "stroke-linejoin='round'><title>{}</title></path>\n",
        path, style.colour, width, style.dashes, escaped(name));
  }

  void draw_line(std::size_t index) {
    const std::vector<Spot>& spots = spots_[index];
    const LineStyle style = line_style(index);
    draw_path(style, kStroke, spots, chart_.lines[index].name);
    const std::size_t every = (spots.size() + kMaxMarkers - 1) / kMaxMarkers;
    for (std::size_t back = 0; back < spots.size(); back += every) {
      const Spot& spot = spots[spots.size() - 1 - back];
      out_ += marker(style, spot.x, spot.y);
    }
  }

  // Best first, each near the end of its line.
  void draw_legend() {
    std::vector<std::size_t> order(spots_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return spots_[a].back().y < spots_[b].back().y;
    });
    std::vector<double> wanted(order.size());
    std::transform(order.begin(), order.end(), wanted.begin(),
                   [&](std::size_t index) { return spots_[index].back().y; });
    const double room =
        (kBottom - kTop) / static_cast<double>(std::max<std::size_t>(order.size(), 2) - 1);
    const std::vector<double> heights = spread(wanted, std::min(kLegendGap, room), kTop, kBottom);
    for (std::size_t i = 0; i < order.size(); ++i) draw_entry(order[i], heights[i]);
  }

  void draw_entry(std::size_t index, double y) {
    const LineStyle style = line_style(index);
    const ChartLine& line = chart_.lines[index];
    const Spot end = spots_[index].back();
    const double x = right_ + kLegendLeft;
    if (end.x > right_ - 2.0) {
      draw_path(style, kStroke / 3.0, {{end.x + 5.0, end.y}, {x - 3.0, y}}, line.name);
    }
    draw_path(style, kStroke, {{x, y}, {x + kSwatch, y}}, line.name);
    out_ += marker(style, x + kSwatch / 2.0, y);
    const double name_x = x + kSwatch + value_width_ + 16.0;
    const double last = line.points.back().y;
    if (chart_.shows_last) {
      text(name_x - 8.0, y + 4.0, "end",
           chart_.in_percent ? fmt::format("{:.2f}%", last) : three_digits(last),
           "class='faint' fill='#666'");
    }
    text(name_x, y + 4.0, "start", fitted(line.name, kFont, kMaxWidthName));
  }

  const LineChart& chart_;
  double left_ = kMinLeft;  // left edge of the plot
  double name_width_ = 0.0;
  double value_width_ = 0.0;
  double right_ = 0.0;
  std::vector<std::vector<Spot>> spots_;
  std::string out_;
};

}  // namespace

std::string as_svg(const LineChart& chart, const std::string& identity) {
  return Drawing(chart).svg(identity);
}

}  // namespace cane::cli
