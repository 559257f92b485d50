#include "cli/cane-lm/train_display.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "app/interrupt.h"
#include "core/base/words.h"

namespace cane::lm {

TrainListener TrainDisplay::listener() {
  return {[this](const TrainProgress& progress) { on_progress(progress); },
          [this](const EpochReport& report) { on_epoch(report); }, cli::interrupt_requested};
}

void TrainDisplay::on_progress(const TrainProgress& progress) {
  if (!quiet_) {
    bar_.draw(fmt::format("epoch {}/{} ", progress.epoch, progress.epochs), progress.share,
              fmt::format(" {:3.0f}%  {} words/s  loss {:.3f}  ETA {}", 100.0 * progress.share,
                          cli::count_text(static_cast<std::uint64_t>(progress.tokens_per_second)),
                          progress.loss, cli::seconds_text(progress.seconds_left)));
  }
  const double now =
      std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (!log_.is_open() || now - last_logged_ < 1.0) return;
  last_logged_ = now;
  cli::JsonObject fields;
  fields.set("epoch", progress.epoch);
  fields.set("share", progress.share);
  fields.set("loss", progress.loss);
  fields.set("tokens_per_second", progress.tokens_per_second);
  fields.set("seconds_left", progress.seconds_left);
  log_.write("progress", fields);
}

void TrainDisplay::on_epoch(const EpochReport& report) {
  cli::JsonObject fields;
  fields.set("epoch", report.epoch);
  fields.set("loss", report.loss);
  if (report.coverage >= 0.0) fields.set("coverage", report.coverage);
  fields.set("learning_rate", report.rate);
  fields.set("seconds", report.seconds);
  fields.set("tokens_per_second", report.tokens_per_second);
  if (report.valid) {
    fields.set("valid_perplexity", report.valid->exact);
    fields.set("valid_self_normalized_perplexity", report.valid->self_normalized);
    fields.set("best", report.best);
  }
  log_.write("epoch", fields);
  if (quiet_) return;
  bar_.clear();
  if (!has_header_) {
    has_header_ = true;
    fmt::print(stderr, "{:>5} {:>9} {:>9} {:>9} {:>9} {:>9}{}\n", "epoch", "loss", "coverage",
               "rate", "words/s", "seconds",
               report.valid ? fmt::format(" {:>16}", "valid perplexity") : "");
  }
  fmt::print(stderr, "{:>5} {:>9.4f} {:>9} {:>9.3g} {:>9} {:>9.1f}", report.epoch, report.loss,
             report.coverage < 0.0 ? "-" : fmt::format("{:.1f}%", 100.0 * report.coverage),
             report.rate, cli::count_text(static_cast<std::uint64_t>(report.tokens_per_second)),
             report.seconds);
  if (report.valid) {
    fmt::print(stderr, " {:>16.2f}{}", report.valid->exact, report.best ? " best" : "");
  }
  fmt::print(stderr, "\n");
}

}  // namespace cane::lm
