#include "app/train_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/error_text.h"
#include "app/json_lines.h"
#include "app/say.h"
#include "core/base/words.h"

namespace cane::cli {

void TrainDisplay::show_message(const std::string& message) {
  const std::string text = with_flags(message);
  Json fields = Json::object();
  fields["text"] = text;
  log_.write("message", fields);
  if (quiet_) return;
  bar_.clear();
  say("{}\n", text);
}

void TrainDisplay::show_progress(const TrainProgress& progress) {
  if (!quiet_) {
    const double share = std::clamp(
        static_cast<double>(progress.examples_done) / static_cast<double>(progress.examples_total),
        0.0, 1.0);
    bar_.draw(fmt::format("epoch {}/{} ", progress.epoch, progress.epochs), share,
              fmt::format(" {:3.0f}%  {} {}/s  loss {:.4f}  ETA {}", 100.0 * share,
                          count_text(static_cast<std::uint64_t>(progress.examples_per_second)),
                          unit_, progress.loss, seconds_text(progress.seconds_left)));
  }
  constexpr double kSecondsBetweenEntries = 1.0;
  if (!log_.is_open() || (has_logged_ && since_logged_.seconds() < kSecondsBetweenEntries)) return;
  has_logged_ = true;
  since_logged_.restart();
  const std::string unit = unit_;
  Json fields = Json::object();
  fields["epoch"] = progress.epoch;
  fields[unit + "_done"] = progress.examples_done;
  fields[unit + "_total"] = progress.examples_total;
  fields["loss"] = progress.loss;
  fields[unit + "_per_second"] = progress.examples_per_second;
  fields["seconds_left"] = progress.seconds_left;
  log_.write("progress", fields);
}

void TrainDisplay::show_epoch(const std::vector<EpochCell>& cells, bool best, const Json& fields) {
  log_.write("epoch", fields);
  if (quiet_) return;
  bar_.clear();
  const auto print_line = [&](const auto& text_of, const char* end) {
    const char* gap = "";
    for (const EpochCell& cell : cells) {
      say("{}{:>{}}", gap, text_of(cell), cell.width);
      gap = " ";
    }
    say("{}\n", end);
  };
  if (!has_header_) print_line([](const EpochCell& cell) { return cell.heading; }, "");
  has_header_ = true;
  print_line([](const EpochCell& cell) { return cell.text; }, best ? " best" : "");
}

}  // namespace cane::cli
