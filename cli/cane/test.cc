#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/json.h"
#include "app/options.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr const char* kClosing =
    "Coverage is the share of examples whose label is among the candidates of the search. The\n"
    "log loss is over the examples whose label training saw. Macro accuracy gives every class\n"
    "the same weight. Head, middle and tail are the classes with more than {0}, {1} to {0} and\n"
    "fewer than {1} training examples. The calibration error is how far the probability of the\n"
    "best class is from the share of right answers.\n\n"
    "Example:\n"
    "  cane test --model shop.safetensors test.svm --top-k 1,5,10";

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

std::string as_json(const Evaluation& result, const EvaluateOptions& options) {
  JsonObject top;
  for (const auto& [k, share] : result.top) top.set(std::to_string(k), share);
  JsonObject json;
  json.set("accuracy", result.accuracy);
  json.set("top", top);
  set_or_null(json, "log_loss", result.log_loss);
  json.set("log_loss_by", name_of(result.log_loss ? options.probability : Probability::kNone));
  set_or_null(json, "calibration_error", result.calibration_error);
  json.set("macro_accuracy", result.macro_accuracy);
  set_group(json, "head", result.head);
  set_group(json, "middle", result.middle);
  set_group(json, "tail", result.tail);
  json.set("coverage", result.coverage);
  json.set("examples", result.examples);
  json.set("seconds", result.seconds);
  json.set("rows_per_example", result.rows_per_example);
  json.set("unseen_labels", result.unseen_labels);
  return json.text();
}

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100.0 * share);
}

void print_line(const std::string& name, const std::string& value) {
  fmt::print("{:<22} {:>12}\n", name, value);
}

void print_group(const std::string& name, const GroupAccuracy& group) {
  fmt::print("{:<22} {:>12}   {} classes, {} examples\n", name,
             group.accuracy ? percent(*group.accuracy) : "-", count_text(group.classes),
             count_text(group.examples));
}

void print_table(const Evaluation& result, const EvaluateOptions& options, std::size_t classes) {
  print_line("examples", count_text(result.examples));
  print_line("classes", count_text(classes));
  print_line("accuracy", percent(result.accuracy));
  for (const auto& [k, share] : result.top) {
    if (k > 1) print_line(fmt::format("top {}", k), percent(share));
  }
  print_line("macro accuracy", percent(result.macro_accuracy));
  print_group(fmt::format("head (over {})", kHeadAbove), result.head);
  print_group(fmt::format("middle ({} to {})", kTailBelow, kHeadAbove), result.middle);
  print_group(fmt::format("tail (under {})", kTailBelow), result.tail);
  if (result.log_loss) {
    print_line(fmt::format("log loss ({})", name_of(options.probability)),
               fmt::format("{:.4f}", *result.log_loss));
  }
  if (result.calibration_error) {
    print_line("calibration error", percent(*result.calibration_error));
  }
  print_line("coverage", percent(result.coverage));
  print_line("rows per example", fmt::format("{:.1f}", result.rows_per_example));
  print_line("seconds", fmt::format("{:.3f}", result.seconds));
  print_line("examples per second",
             count_text(static_cast<std::uint64_t>(static_cast<double>(result.examples) /
                                                   std::max(result.seconds, 1e-9))));
}

}  // namespace

int run_test(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string data_path;
  bool json = false;
  EvaluateOptions evaluation;
  DataOptions data_options;
  Options options(verb, fmt::format(kClosing, kHeadAbove, kTailBelow));
  options.positional("DATA", data_path, "data with labels (-: standard input)");
  add_model_option(options, model_path);
  options.add_groups(evaluation, {kPlainGroup});
  options.flag("json", json, "print one JSON object");
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(model_path);
  data_options.threads = evaluation.threads;
  const Dataset data = Dataset::load(data_path, model, data_options);
  warn_about_skipped(data_path, data.report());
  warn_about_unseen(data_path, data);
  const Evaluation result = evaluate(model, data, evaluation);
  if (json) {
    fmt::print("{}\n", as_json(result, evaluation));
  } else {
    print_table(result, evaluation, model.classes());
  }
  return kExitDone;
}

}  // namespace cane::cli
