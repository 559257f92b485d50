#include "cli/cane/test/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cane/names.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr std::size_t kPairsShown = 5;

void set_or_null(JsonObject& json, const std::string& name, std::optional<double> value) {
  if (value) {
    json.set(name, *value);
  } else {
    json.set_null(name);
  }
}

void set_group(JsonObject& json, const std::string& name, const GroupAccuracy& group) {
  JsonObject figures;
  set_or_null(figures, "accuracy", group.accuracy);
  figures.set("examples", group.examples);
  figures.set("classes", group.classes);
  json.set(name, figures);
}

void print_line(const std::string& name, const std::string& value) {
  fmt::print("{:<22} {:>12}\n", name, value);
}

void print_group(const std::string& name, const GroupAccuracy& group) {
  fmt::print("{:<22} {:>12}   {} classes, {} examples\n", name,
             group.accuracy ? percent(*group.accuracy) : "-", count_text(group.classes),
             count_text(group.examples));
}

void print_confused(const std::vector<ConfusedPair>& pairs,
                    const std::vector<std::string>& labels) {
  for (std::size_t i = 0; i < std::min(kPairsShown, pairs.size()); ++i) {
    fmt::print("{:<22} {:>12}   {} taken for {}\n", i == 0 ? "most confused" : "",
               fmt::format("{} times", count_text(pairs[i].times)), labels[pairs[i].label],
               labels[pairs[i].answer]);
  }
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100.0 * share);
}

void print_figures(const Evaluation& result, const EvaluateOptions& options,
                   const std::vector<std::string>& labels) {
  print_line("examples", count_text(result.examples));
  print_line("classes", count_text(labels.size()));
  print_line("accuracy", percent(result.accuracy));
  for (const auto& [k, share] : result.top) {
    if (k > 1) print_line(fmt::format("top {}", k), percent(share));
  }
  print_line("macro accuracy", percent(result.macro_accuracy));
  print_line("macro F1", percent(result.macro_f1));
  print_line("weighted F1", percent(result.weighted_f1));
  print_group(fmt::format("head (over {})", kHeadAbove), result.head);
  print_group(fmt::format("middle ({} to {})", kTailBelow, kHeadAbove), result.middle);
  print_group(fmt::format("tail (under {})", kTailBelow), result.tail);
  if (result.details) print_confused(result.details->confused, labels);
  if (result.log_loss) {
    print_line(fmt::format("log loss ({})", name_of(result.probability)),
               fmt::format("{:.4f}", *result.log_loss));
  }
  if (result.details && result.details->estimate_error) {
    const EstimateError& error = *result.details->estimate_error;
    fmt::print("{:<22} {:>12}   {:.4f} away on average, {:.4f} by the draws, on {} examples\n",
               "estimate less exact", fmt::format("{:+.4f}", error.mean), error.mean_absolute,
               error.standard_error, count_text(error.examples));
  }
  if (result.calibration_error) {
    print_line("calibration error", percent(*result.calibration_error));
  }
  if (result.rejected) {
    fmt::print("{:<22} {:>12}   at probability {:g}, {} of the answers wrong\n", "answered",
               percent(result.rejected->coverage), options.reject, percent(result.rejected->risk));
  }
  print_line("coverage", percent(result.coverage));
  print_line("rows per example", fmt::format("{:.1f}", result.rows_per_example));
  print_line("seconds", fmt::format("{:.3f}", result.seconds));
  print_line("examples per second",
             count_text(static_cast<std::uint64_t>(static_cast<double>(result.examples) /
                                                   std::max(result.seconds, 1e-9))));
}

JsonObject figures_json(const Evaluation& result) {
  JsonObject top;
  for (const auto& [k, share] : result.top) top.set(std::to_string(k), share);
  JsonObject json;
  json.set("accuracy", result.accuracy);
  json.set("top", top);
  set_or_null(json, "log_loss", result.log_loss);
  json.set("log_loss_by", name_of(result.log_loss ? result.probability : Probability::kNone));
  set_or_null(json, "calibration_error", result.calibration_error);
  if (result.details && result.details->estimate_error) {
    JsonObject error;
    error.set("mean", result.details->estimate_error->mean);
    error.set("mean_absolute", result.details->estimate_error->mean_absolute);
    error.set("standard_error", result.details->estimate_error->standard_error);
    error.set("examples", result.details->estimate_error->examples);
    json.set("estimate_error", error);
  }
  json.set("macro_accuracy", result.macro_accuracy);
  json.set("macro_f1", result.macro_f1);
  json.set("weighted_f1", result.weighted_f1);
  set_group(json, "head", result.head);
  set_group(json, "middle", result.middle);
  set_group(json, "tail", result.tail);
  if (result.rejected) {
    JsonObject rejected;
    rejected.set("least_probability", result.rejected->least_probability);
    rejected.set("coverage", result.rejected->coverage);
    rejected.set("risk", result.rejected->risk);
    json.set("rejected", rejected);
  }
  json.set("coverage", result.coverage);
  json.set("examples", result.examples);
  json.set("seconds", result.seconds);
  json.set("rows_per_example", result.rows_per_example);
  json.set("unseen_labels", result.unseen_labels);
  return json;
}

}  // namespace cane::cli
