#include "cli/cane-lm/perplexity_display.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/interrupt.h"
#include "app/json_lines.h"
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
  cli::Json fields = cli::Json::object();
  fields["epoch"] = report.epoch;
  fields["loss"] = report.loss;
  if (has_coverage) fields["coverage"] = report.coverage;
  fields["learning_rate"] = report.learning_rate;
  fields["seconds"] = report.seconds;
  fields["tokens_per_second"] = report.tokens_per_second;
  if (report.validation) {
    cells.push_back({"valid perplexity", 16, fmt::format("{:.2f}", report.validation->exact)});
    fields["valid_perplexity"] = report.validation->exact;
    fields["valid_self_normalized_perplexity"] = report.validation->self_normalized;
    fields["best"] = report.best;
  }
  display_.show_epoch(cells, report.validation && report.best, fields);
}

}  // namespace cane::lm
