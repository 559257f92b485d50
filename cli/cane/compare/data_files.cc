#include "cli/cane/compare/data_files.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "cane/names.h"
#include "cane/version.h"
#include "cli/cane/compare/columns.h"

namespace cane::cli {
namespace {

// RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

JsonObject as_json(const CurvePoint& point) {
  JsonObject json;
  json.set("epoch", point.epoch);
  json.set("seconds", point.seconds);
  json.set("accuracy", point.accuracy);
  json.set("top_5", point.top_5);
  json.set("coverage", point.coverage);
  json.set("training_loss", point.training_loss);
  return json;
}

JsonObject as_json(const MethodResult& result) {
  JsonObject json;
  json.set("method", result.name);
  if (result.error.empty()) {
    json.set_null("error");
  } else {
    json.set("error", result.error);
  }
  for (const Column& column : columns()) {
    const bool is_number = std::isfinite(column.value(result).value_or(NAN));
    json.set_parsed(column.name, is_number ? exact_text_of(column, result) : "null");
  }
  json.set("setup_seconds", result.setup_seconds);
  JsonObject options;
  for (const auto& [name, value] : result.options) options.set_parsed(name, value);
  json.set("options", options);
  json.set("notes", result.notes);
  std::vector<JsonObject> curve;
  for (const CurvePoint& point : result.curve) curve.push_back(as_json(point));
  json.set("curve", curve);
  return json;
}

}  // namespace

std::string results_csv(const Comparison& comparison) {
  std::string csv = "method";
  for (const Column& column : columns()) csv += fmt::format(",{}", column.name);
  csv += ",error\n";
  for (const MethodResult& result : comparison.methods) {
    csv += csv_field(result.name);
    for (const Column& column : columns()) csv += ',' + exact_text_of(column, result);
    csv += ',' + csv_field(result.error) + '\n';
  }
  return csv;
}

std::string curves_csv(const Comparison& comparison) {
  std::string csv = "method,epoch,seconds,accuracy,top_5,coverage,training_loss\n";
  for (const MethodResult& result : comparison.methods) {
    for (const CurvePoint& point : result.curve) {
      csv +=
          fmt::format("{},{},{},{},{},{},{}\n", csv_field(result.name), point.epoch, point.seconds,
                      point.accuracy, point.top_5, point.coverage, point.training_loss);
    }
  }
  return csv;
}

JsonObject as_json(const Comparison& comparison) {
  JsonObject json;
  json.set("written_by", kJsonMark);
  json.set("version", version());
  json.set("instruction_set", instruction_set());
  json.set("started", comparison.started);
  json.set("command", comparison.command);
  json.set("threads", comparison.threads);
  json.set("interrupted", comparison.interrupted);
  json.set("methods_planned", comparison.planned);
  json.set("log_loss_by", name_of(comparison.log_loss_by));
  JsonObject data;
  data.set("train", comparison.train_path);
  data.set("test", comparison.test_path);
  data.set("train_examples", comparison.train_examples);
  data.set("test_examples", comparison.test_examples);
  data.set("classes", comparison.classes);
  data.set("features", comparison.features);
  data.set("unseen_labels", comparison.unseen_labels);
  json.set("data", data);
  std::vector<JsonObject> methods;
  for (const MethodResult& result : comparison.methods) methods.push_back(as_json(result));
  json.set("methods", methods);
  return json;
}

}  // namespace cane::cli
