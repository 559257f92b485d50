#include "cli/cane-lm/perplexity_display.h"

#include <fmt/format.h>

#include "app/interrupt.h"
#include "core/base/words.h"

namespace cane::lm {

TrainListener PerplexityDisplay::listener() {
  return {[this](const TrainProgress& progress) { display_.show_progress(progress); },
          [this](const LmEpochReport& report) { on_epoch(report); }, cli::interrupt_requested};
}

void PerplexityDisplay::on_epoch(const LmEpochReport& report) {
  const bool has_coverage = report.coverage >= 0.0;
  std::vector<cli::EpochCell> cells = {
      {"epoch", 5, fmt::format("{}", report.epoch)},
      {"loss", 9, fmt::format("{:.4f}", report.loss)},
      {"coverage", 9, has_coverage ? fmt::format("{:.2f}%", 100.0 * report.coverage) : "-"},
      {"rate", 10, fmt::format("{:.4g}", report.learning_rate)},
      {"seconds", 9, fmt::format("{:.1f}", report.seconds)},
      {"tokens/s", 9, count_text(static_cast<std::uint64_t>(report.tokens_per_second))},
  };
  cli::JsonObject fields;
  fields.set("epoch", report.epoch);
  fields.set("loss", report.loss);
  if (has_coverage) fields.set("coverage", report.coverage);
  fields.set("learning_rate", report.learning_rate);
  fields.set("seconds", report.seconds);
  fields.set("tokens_per_second", report.tokens_per_second);
  if (report.validation) {
    cells.push_back({"valid perplexity", 16, fmt::format("{:.2f}", report.validation->exact)});
    fields.set("valid_perplexity", report.validation->exact);
    fields.set("valid_self_normalized_perplexity", report.validation->self_normalized);
    fields.set("best", report.best);
  }
  display_.show_epoch(cells, report.validation && report.best, fields);
}

}  // namespace cane::lm
