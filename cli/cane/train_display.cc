#include "cli/cane/train_display.h"

#include <fmt/format.h>

#include "app/interrupt.h"

namespace cane::cli {

void TrainDisplay::on_message(const std::string& text) {
  JsonObject fields;
  fields.set("text", text);
  log_.write("message", fields);
  if (quiet_) return;
  bar_.clear();
  fmt::print(stderr, "{}\n", text);
}

void TrainDisplay::on_progress(const TrainProgress& progress) {
  if (!quiet_) bar_.draw(progress);
  const auto now = std::chrono::steady_clock::now();
  if (!log_.is_open() || now - last_logged_ < std::chrono::seconds(1)) return;
  last_logged_ = now;
  JsonObject fields;
  fields.set("epoch", progress.epoch);
  fields.set("examples_done", progress.examples_done);
  fields.set("examples_total", progress.examples_total);
  fields.set("loss", progress.loss);
  fields.set("examples_per_second", progress.examples_per_second);
  fields.set("seconds_left", progress.seconds_left);
  log_.write("progress", fields);
}

void TrainDisplay::on_epoch(const EpochReport& report) {
  seconds_ = report.seconds;
  if (!quiet_) print_epoch(report);
  JsonObject fields;
  fields.set("epoch", report.epoch);
  fields.set("loss", report.loss);
  fields.set("coverage", report.coverage);
  fields.set("learning_rate", report.learning_rate);
  fields.set("seconds", report.seconds);
  if (report.validation) {
    fields.set("valid_accuracy", report.validation->accuracy);
    fields.set("valid_coverage", report.validation->coverage);
    fields.set("best", report.best);
  }
  log_.write("epoch", fields);
}

void TrainDisplay::print_epoch(const EpochReport& report) {
  bar_.clear();
  if (!has_header_) {
    has_header_ = true;
    fmt::print(stderr, "{:>5} {:>9} {:>9} {:>10} {:>9}{}\n", "epoch", "loss", "coverage", "rate",
               "seconds", report.validation ? fmt::format(" {:>9}", measured_) : "");
  }
  fmt::print(stderr, "{:>5} {:>9.4f} {:>8.2f}% {:>10.4g} {:>9.1f}", report.epoch, report.loss,
             100.0 * report.coverage, report.learning_rate, report.seconds);
  if (report.validation) {
    fmt::print(stderr, " {:>8.2f}%{}", 100.0 * report.validation->accuracy,
               report.best ? " best" : "");
  }
  fmt::print(stderr, "\n");
}

bool TrainDisplay::stop_requested() {
  return interrupt_requested();
}

}  // namespace cane::cli
