#include "cane/calibrate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/options.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr const char* kCalibrateClosing =
    "Learns from DATA, which must not be data of the training, how far the probabilities of the "
    "model can\nbe trusted, and keeps it in the model: `cane predict --proba` and `cane test` then "
    "give calibrated\nprobabilities. The order of the labels does not change. A few hundred "
    "examples are enough; `cane train\n--valid` does it by itself.\n\n"
    "Example:\n"
    "  cane calibrate --model shop.safetensors valid.svm";

constexpr const char* kGroupNames[] = {"head", "middle", "tail"};

std::string as_json(const CalibrateResult& result) {
  Json json = Json::object();
  json["examples"] = result.examples;
  json["error_before"] = result.error_before;
  json["error_after"] = result.error_after;
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    Json group = Json::object();
    group["temperature"] = result.groups[i].temperature;
    group["examples"] = result.groups[i].examples;
    group["is_own"] = result.groups[i].is_own;
    json[kGroupNames[i]] = group;
  }
  return json_text(json);
}

void print_lines(const CalibrateResult& result) {
  fmt::print("{:<22} {:>8}\n", "examples", count_text(result.examples));
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    const GroupTemperature& group = result.groups[i];
    fmt::print("{:<22} {:>8.2f}   {} examples{}\n", fmt::format("temperature, {}", kGroupNames[i]),
               group.temperature, count_text(group.examples),
               group.is_own ? "" : ", too few for their own");
  }
  fmt::print("{:<22} {:>7.2f}%   {:.2f}% after it, on the same data\n", "calibration error",
             100.0 * result.error_before, 100.0 * result.error_after);
}

}  // namespace

int run_calibrate(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string data_path;
  std::string output_path;
  bool json = false;
  CalibrateOptions calibration;
  DataOptions data_options;
  data_options.write_cache = false;
  Options options(verb, kCalibrateClosing);
  options.positional("DATA", data_path, "data with labels, other than the training data");
  add_model_option(options, model_path);
  options.add("output", "FILE", output_path, "where the calibrated model goes, instead of --model");
  options.add_groups(calibration, {kPlainGroup});
  options.flag("json", json, "print one JSON object");
  reads_data(options, "DATA", data_path, data_options.labels_path, data_options);
  options.writes({.option = "--output", .path = "", .kind = FileKind::kModel}, output_path);
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(model_path);
  data_options.threads = calibration.threads;
  const Dataset data = Dataset::load(data_path, model, data_options);
  warn_about_skipped(data_path, data.report());
  warn_about_unseen(data_path, data);
  const CalibrateResult result = calibrate(model, data, calibration);
  result.model.save(output_path.empty() ? model_path : output_path);
  if (json) {
    fmt::print("{}\n", as_json(result));
  } else {
    print_lines(result);
  }
  return kExitDone;
}

}  // namespace cane::cli
