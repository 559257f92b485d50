#include "cane/quantize.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/json_lines.h"
#include "app/options.h"
#include "cane/fields.h"
#include "cane/predict.h"
#include "cli/cane/data_options.h"
#include "cli/cane/measures.h"
#include "cli/cane/verbs.h"
#include "core/base/memory.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuantizeClosing =
    "The result is a model like any other for test, predict and inspect; it cannot be trained\n"
    "further. In 8 bits no weight is off by more than 1/254 of the largest of its class (of its\n"
    "feature, in an encoder), in 16 by 1/2048 of itself. A table with many zeros is saved without\n"
    "them. Give DATA to see what is lost.\n\n"
    "Example:\n"
    "  cane quantize --model shop.safetensors --output small.safetensors test.svm";

struct Measured {
  Evaluation before;
  Evaluation after;
};

struct Outcome {
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  double zeros = 0.0;
  std::optional<Measured> measured;

  double share() const {
    return static_cast<double>(bytes_after) / static_cast<double>(bytes_before);
  }
};

Measured measure(const Model& before, const Model& after, const Dataset& data, int threads) {
  EvaluateOptions options;
  options.probability = Probability::kNone;
  options.threads = threads;
  return {evaluate(before, data, options), evaluate(after, data, options)};
}

std::string as_json(const Outcome& outcome, const QuantizeOptions& options) {
  Json json = Json::object();
  json["bits"] = options.bits;
  json["bytes_before"] = outcome.bytes_before;
  json["bytes_after"] = outcome.bytes_after;
  json["zeros"] = outcome.zeros;
  if (outcome.measured) {
    const auto& [before, after] = *outcome.measured;
    json["examples"] = before.examples;
    json["accuracy_before"] = before.accuracy;
    json["accuracy_after"] = after.accuracy;
    json["seconds_before"] = before.seconds;
    json["seconds_after"] = after.seconds;
  }
  return json_text(json);
}

void print_row(const std::string& name, const std::string& before, const std::string& after,
               const std::string& change) {
  fmt::print("{:<20} {:>12} {:>12} {:>12}\n", name, before, after, change);
}

void print_table(const Outcome& outcome) {
  print_row("", "before", "after", "");
  print_row("file", bytes_as_text(outcome.bytes_before), bytes_as_text(outcome.bytes_after),
            fmt::format("{:.1f}%", 100.0 * outcome.share()));
  print_row("class weights of 0", "", fmt::format("{:.2f}%", 100.0 * outcome.zeros), "");
  if (!outcome.measured) return;
  const auto& [before, after] = *outcome.measured;
  const auto points = [](double from, double to) {
    return fmt::format("{:+.2f} points", 100.0 * (to - from));
  };
  print_row("accuracy", percent(before.accuracy), percent(after.accuracy),
            points(before.accuracy, after.accuracy));
  for (const auto& [k, share] : before.top) {
    if (k == 1) continue;
    print_row(fmt::format("top {}", k), percent(share), percent(after.top.at(k)),
              points(share, after.top.at(k)));
  }
  print_row("seconds to predict", fmt::format("{:.3f}", before.seconds),
            fmt::format("{:.3f}", after.seconds), "");
}

}  // namespace

int run_quantize(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string output_path;
  std::string test_path;
  bool json = false;
  PredictOptions measuring;
  QuantizeOptions quantization;
  DataOptions data_options;
  data_options.write_cache = false;
  Options options(verb, kQuantizeClosing);
  options.optional_positional("DATA", test_path,
                              "data with labels: accuracy before and after (-: standard input)");
  add_model_option(options, model_path);
  options.required("output", "FILE", output_path, "where the small model goes (required)");
  reads_data(options, "DATA", test_path, data_options.labels_path, data_options);
  options.writes({.option = "--output", .path = "", .kind = FileKind::kModel, .needs_file = true},
                 output_path);
  options.add_groups(quantization, {kPlainGroup});
  options.refuse("drop", "removed in cane 0.2; leave it out");
  options.flag("json", json, "print one JSON object");
  options.add_fields(measuring, {"threads"});
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(model_path);
  const QuantizeResult result = quantize(model, quantization);
  std::optional<Dataset> data;
  if (!test_path.empty()) {
    data_options.threads = measuring.threads;
    data = Dataset::load(test_path, model, data_options);
    warn_about_skipped(test_path, data->report());
    warn_about_unseen(test_path, *data);
  }
  result.model.save(output_path);
  Outcome outcome = {fs::file_size(model_path), fs::file_size(output_path), result.zeros, {}};
  if (data) outcome.measured = measure(model, Model::load(output_path), *data, measuring.threads);
  if (json) {
    fmt::print("{}\n", as_json(outcome, quantization));
  } else {
    print_table(outcome);
  }
  return kExitDone;
}

}  // namespace cane::cli
