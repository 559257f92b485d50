#include "cli/cane-lm/comparison.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/output.h"
#include "app/report/line_chart.h"
#include "cane/error.h"

namespace cane::lm {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxTicks = 8;

std::string in_csv(const std::string& text) {
  return text.find_first_of(",\"\n") == std::string::npos ? text : fmt::format("\"{}\"", text);
}

std::string results_csv(const std::vector<HeadResult>& results) {
  std::string text = "head,best_epoch,valid_perplexity,test_perplexity,seconds\n";
  for (const HeadResult& result : results) {
    text += fmt::format("{},{},{},{},{}\n", in_csv(result.name), result.best_epoch, result.valid,
                        result.test ? fmt::format("{}", *result.test) : "", result.seconds);
  }
  return text;
}

std::string curves_csv(const std::vector<HeadResult>& results) {
  std::string text = "head,epoch,seconds,valid_perplexity\n";
  for (const HeadResult& result : results) {
    for (const CurvePoint& point : result.curve) {
      text += fmt::format("{},{},{},{}\n", in_csv(result.name), point.epoch, point.seconds,
                          point.perplexity);
    }
  }
  return text;
}

std::string chart(const std::vector<HeadResult>& results, const char* title, const char* label,
                  double (*x_of)(const CurvePoint&), double least_step) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low = kInfinity;
  double high = -kInfinity;
  double right = 0.0;
  std::vector<cli::ChartLine> lines;
  for (const HeadResult& result : results) {
    cli::ChartLine& line = lines.emplace_back();
    line.name = result.name;
    for (const CurvePoint& point : result.curve) {
      line.points.push_back({x_of(point), point.perplexity});
      low = std::min(low, point.perplexity);
      high = std::max(high, point.perplexity);
      right = std::max(right, x_of(point));
    }
  }
  constexpr double kMargin = 1.05;
  return cli::as_svg(
      {title, label, cli::linear_axis(0.0, right, kMaxTicks, least_step, false),
       cli::logarithmic_axis(low / kMargin, high * kMargin), std::move(lines), false},
      label);
}

void write_file(const fs::path& path, const std::string& content) {
  cli::Output file(path.string());
  file.write(content);
  file.finish();
}

}  // namespace

void prepare_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (fs::is_directory(path) && ::access(path.c_str(), W_OK | X_OK) == 0) return;
  throw Error(fmt::format("--out: {}: the folder cannot be made or written to{}; choose another",
                          path, error ? ": " + error.message() : ""));
}

void write_results(const std::string& folder, const std::vector<HeadResult>& results) {
  const fs::path path(folder);
  write_file(path / "results.csv", results_csv(results));
  write_file(path / "curves.csv", curves_csv(results));
  write_file(path / "perplexity-by-epoch.svg",
             chart(
                 results, "Validation perplexity (logarithmic), by epoch", "epoch",
                 [](const CurvePoint& point) { return double(point.epoch); }, 1.0));
  write_file(path / "perplexity-by-seconds.svg",
             chart(
                 results, "Validation perplexity (logarithmic), by time", "seconds of training",
                 [](const CurvePoint& point) { return point.seconds; }, 0.0));
}

std::string as_table(const std::vector<HeadResult>& results) {
  std::size_t width = 4;
  for (const HeadResult& result : results) width = std::max(width, result.name.size());
  std::string text = fmt::format("{:<{}} {:>6} {:>10} {:>10} {:>10}\n", "head", width, "epoch",
                                 "valid", "test", "seconds");
  for (const HeadResult& result : results) {
    text += fmt::format("{:<{}} {:>6} {:>10.2f} {:>10} {:>10.1f}\n", result.name, width,
                        result.best_epoch, result.valid,
                        result.test ? fmt::format("{:.2f}", *result.test) : "-", result.seconds);
  }
  return text;
}

}  // namespace cane::lm
