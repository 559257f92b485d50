#include "cli/cane/train_display.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "app/json_lines.h"
#include "cli/cane/measures.h"
#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli {

void AccuracyDisplay::on_epoch(const EpochReport& report) {
  seconds_ = report.seconds;
  std::vector<EpochCell> cells = {
      {"epoch", 5, fmt::format("{}", report.epoch)},
      {"loss", 9, fmt::format("{:.4f}", report.loss)},
      {"coverage", 9, percent(report.coverage)},
      {"rate", 10, fmt::format("{:.4g}", report.learning_rate)},
      {"seconds", 9, fmt::format("{:.1f}", report.seconds)},
  };
  Json fields = Json::object();
  fields["epoch"] = report.epoch;
  fields["loss"] = report.loss;
  fields["coverage"] = report.coverage;
  fields["learning_rate"] = report.learning_rate;
  fields["seconds"] = report.seconds;
  if (report.validation) {
    cells.push_back({measured_, 9, percent(report.validation->accuracy)});
    for (const MeasuredNumber& number : measured_numbers(*report.validation)) {
      if (number.value && number.is_quality()) fields["valid_" + number.name] = *number.value;
    }
    fields["best"] = report.best;
  }
  display_.show_epoch(cells, report.validation && report.best, fields);
}

bool AccuracyDisplay::stop_requested() {
  return interrupt_requested();
}

namespace {

constexpr double kWatchSeconds = 1.5;  // seconds, as long as --dry-run times its batches
// Small differences are noise of the machine or of an allocator.
constexpr double kMaxRatio = 2.0;
constexpr double kTimeNoise = 10.0;
constexpr double kMemoryNoise = 256.0 * (1 << 20);

}  // namespace

std::vector<std::string> cost_warnings(double predicted, double seconds,
                                       std::uint64_t expected_bytes, std::uint64_t peak_bytes) {
  std::vector<std::string> found;
  if (predicted > 0.0 && seconds > kMaxRatio * predicted + kTimeNoise) {
    found.push_back(
        fmt::format("training took {}, where its start predicted {}; other programs may have "
                    "had the processors, or memory was short",
                    seconds_text(seconds), seconds_text(predicted)));
  }
  const auto expected = static_cast<double>(expected_bytes);
  if (expected > 0.0 && static_cast<double>(peak_bytes) > kMaxRatio * expected + kMemoryNoise) {
    found.push_back(fmt::format("it took {} of memory, where --dry-run estimates {}",
                                bytes_as_text(peak_bytes), bytes_as_text(expected_bytes)));
  }
  return found;
}

std::uint64_t peak_memory() {
  struct rusage usage {};
  constexpr std::uint64_t kUnit = 1024;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit
                                               : 0;
}

void CostWatch::look(const TrainProgress& progress) {
  if (!since_start_) since_start_.emplace();
  const double seconds = since_start_->seconds();
  if (predicted_ == 0.0 && seconds >= kWatchSeconds) predicted_ = seconds + progress.seconds_left;
}

}  // namespace cane::cli
