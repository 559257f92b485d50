#include "cli/cane/tune_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/error_text.h"
#include "app/interrupt.h"
#include "app/json_lines.h"
#include "app/say.h"
#include "cane/names.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

std::string header(const Tunable& searched) {
  std::string line = fmt::format("{:>5} {:>7}", "trial", "epochs");
  if (searched.lr) line += fmt::format(" {:>10}", "rate");
  if (searched.optimizer) line += fmt::format(" {:>9}", "optimizer");
  if (searched.l2) line += fmt::format(" {:>6}", "l2");
  if (searched.candidates) line += fmt::format(" {:>10}", "candidates");
  if (searched.arity) line += fmt::format(" {:>5}", "arity");
  if (searched.noise_power) line += fmt::format(" {:>11}", "noise power");
  if (searched.nodes) line += fmt::format(" {:>8}", "nodes");
  if (searched.swap_resistance) line += fmt::format(" {:>10}", "resistance");
  return line + fmt::format(" {:>9} {:>9}", "seconds", "accuracy");
}

// A value is 0 if its trial failed before the value was chosen.
std::string value_or_auto(auto value) {
  return value == decltype(value)(0) ? "auto" : fmt::format("{:.4g}", static_cast<double>(value));
}

std::string row(std::size_t number, const Trial& trial, const Tunable& searched) {
  const TrainConfig& config = trial.config;
  std::string line = fmt::format("{:>5} {:>7.4g}", number, trial.epochs);
  if (searched.lr) line += fmt::format(" {:>10}", value_or_auto(config.lr));
  if (searched.optimizer) line += fmt::format(" {:>9}", name_of(config.optimizer));
  if (searched.l2) line += fmt::format(" {:>6.4g}", config.l2);
  if (searched.candidates) line += fmt::format(" {:>10}", value_or_auto(config.candidates));
  if (searched.arity) line += fmt::format(" {:>5}", config.arity);
  if (searched.noise_power) line += fmt::format(" {:>11.4g}", config.noise_power);
  if (searched.nodes) line += fmt::format(" {:>8}", config.nodes);
  if (searched.swap_resistance) line += fmt::format(" {:>10}", config.swap_resistance);
  line += fmt::format(" {:>9.2f}", trial.seconds);
  if (!trial.error.empty())
    return line + fmt::format(" {:>9}: {}", "failed", with_flags(trial.error));
  return line + fmt::format(" {:>8.2f}%", 100.0 * trial.accuracy);
}

}  // namespace

void set_searched(Json& json, const TrainConfig& config, const Tunable& searched) {
  if (searched.lr) json["lr"] = json_value_of(fmt::format("{}", config.lr));
  if (searched.optimizer) json["optimizer"] = name_of(config.optimizer);
  if (searched.l2) json["l2"] = json_value_of(fmt::format("{}", config.l2));
  if (searched.candidates) json["candidates"] = config.candidates;
  if (searched.arity) json["arity"] = config.arity;
  if (searched.nodes) json["nodes"] = config.nodes;
  if (searched.swap_resistance) json["swap-resistance"] = config.swap_resistance;
  if (searched.noise_power) {
    json["noise-power"] = json_value_of(fmt::format("{}", config.noise_power));
  }
}

void TuneDisplay::on_begin(const Tunable& searched) {
  searched_ = searched;
  if (!quiet_) say("{}\n", header(searched));
}

void TuneDisplay::on_message(const std::string& text) {
  if (quiet_) return;
  bar_.clear();
  say("{}\n", with_flags(text));
}

void TuneDisplay::on_progress(const TuneProgress& progress) {
  if (quiet_) return;
  const bool is_timed = options_.trials == 0 && options_.seconds > 0.0;
  const TrainProgress& training = progress.training;
  const double share = is_timed ? progress.seconds / options_.seconds
                                : static_cast<double>(training.examples_done) /
                                      static_cast<double>(training.examples_total);
  bar_.draw(fmt::format("trial {} ", progress.trial), std::clamp(share, 0.0, 1.0),
            fmt::format("  {:.4g} epochs, {}/s  {}{}", progress.epochs,
                        count_text(static_cast<std::uint64_t>(training.examples_per_second)),
                        seconds_text(progress.seconds),
                        is_timed ? " of " + seconds_text(options_.seconds) : ""));
}

void TuneDisplay::on_trial(const Trial& trial) {
  ++trials_;
  if (quiet_) return;
  bar_.clear();
  say("{}\n", row(trials_, trial, searched_));
}

bool TuneDisplay::stop_requested() {
  return interrupt_requested();
}

}  // namespace cane::cli
