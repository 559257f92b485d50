// A model as JSON, for programs: numbers are numbers, and names are words_with_underscores.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cane/fields.h"
#include "cane/model.h"
#include "cane/names.h"
#include "core/base/field_text.h"
#include "methods/method_table.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "model/quantized_model.h"

namespace cane {
namespace {

// An ordinary object would sort its names.
using Json = nlohmann::ordered_json;

// The stored options by the names of their members; null: automatic, because the method has no use
// for it.
Json options_of(const TrainConfig& config) {
  Json options = Json::object();
  visit_fields(config, [&](const Field& field, const auto& value) {
    if (!field.stored) return;
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      options[field.name] = name_of(value);
    } else {
      options[field.name] = is_automatic(field, value) ? Json(nullptr) : Json(value);
    }
  });
  return options;
}

Json tree_of(const ModelData& model) {
  if (model.method_state != nullptr) return model.method_state->summary();
  if (!uses_tree(model.config)) return nullptr;
  return {{"inner_nodes", model.tree.node_count() - model.tree.class_count()},
          {"arity", model.tree.arity()},
          {"depth", model.tree.depth()}};
}

Json class_sizes(std::vector<std::uint64_t> counts) {
  std::ranges::sort(counts);
  const auto below = static_cast<double>(counts[(counts.size() - 1) / 2]);
  const auto above = static_cast<double>(counts[counts.size() / 2]);
  return {
      {"smallest", counts.front()}, {"median", (below + above) / 2}, {"largest", counts.back()}};
}

Json tables_of(const ModelData& model) {
  Json tables = Json::array();
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    tables.push_back({{"name", model.tables[table].name},
                      {"weights", model.tables[table].layout.size()},
                      {"bytes", stored_bytes(model, table)}});
  }
  return tables;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

std::string Model::summary() const {
  const ModelData& model = *data_;
  const auto metadata = model_metadata(model);
  const Origin& from = model.origin;
  Json json = {
      {"kind", "classifier"},       {"method", name_of(model.config.method)},
      {"classes", classes()},       {"features", Json::parse(metadata.at("cane.features"))},
      {"tables", tables_of(model)}, {"weight_bytes", weight_bytes()}};
  json["quantized"] = nullptr;
  if (model.quantization.is_quantized()) {
    json["quantized"] = {{"bits", model.quantization.bits}};
  }
  json["calibration"] = nullptr;
  if (!model.calibration.is_none()) {
    json["calibration"] = {{"temperatures", model.calibration.temperatures},
                           {"steps", model.calibration.shares.size()}};
  }
  json["tree"] = tree_of(model);
  json["training"] = {{"epochs", model.epochs_trained},
                      {"examples", model.training_examples},
                      {"kept", model.kept.size()},
                      {"class_sizes", class_sizes(model.class_counts)},
                      {"row_lengths", nullptr}};
  if (model.row_lengths.is_known()) {
    json["training"]["row_lengths"] = Json::parse(metadata.at("cane.row_lengths"));
  }
  json["origin"] = {{"date", text_or_null(from.date)},
                    {"data", text_or_null(from.data)},
                    {"checksum", text_or_null(from.checksum)},
                    {"note", text_or_null(from.note)}};
  json["options"] = options_of(model.config);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cane
