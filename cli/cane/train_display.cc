#include "cli/cane/train_display.h"

#include <fmt/format.h>

#include "app/interrupt.h"

namespace cane::cli {

void AccuracyDisplay::on_epoch(const EpochReport& report) {
  seconds_ = report.seconds;
  std::vector<EpochCell> cells = {
      {"epoch", 5, fmt::format("{}", report.epoch)},
      {"loss", 9, fmt::format("{:.4f}", report.loss)},
      {"coverage", 9, fmt::format("{:.2f}%", 100.0 * report.coverage)},
      {"rate", 10, fmt::format("{:.4g}", report.learning_rate)},
      {"seconds", 9, fmt::format("{:.1f}", report.seconds)},
  };
  JsonObject fields;
  fields.set("epoch", report.epoch);
  fields.set("loss", report.loss);
  fields.set("coverage", report.coverage);
  fields.set("learning_rate", report.learning_rate);
  fields.set("seconds", report.seconds);
  if (report.validation) {
    cells.push_back({measured_, 9, fmt::format("{:.2f}%", 100.0 * report.validation->accuracy)});
    fields.set("valid_accuracy", report.validation->accuracy);
    fields.set("valid_coverage", report.validation->coverage);
    fields.set("best", report.best);
  }
  display_.show_epoch(cells, report.validation && report.best, fields);
}

bool AccuracyDisplay::stop_requested() {
  return interrupt_requested();
}

}  // namespace cane::cli
