#include "model/config_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "cane/error.h"
#include "cane/names.h"

namespace cane {
namespace {

// The one list of options that are stored; names are those of the command line.
template <typename Config, typename Visitor>
void visit_options(Config& config, const Visitor& visit) {
  visit("method", config.method);
  visit("select", config.select);
  visit("scorer", config.scorer);
  visit("candidates", config.candidates);
  visit("beam", config.beam);
  visit("reuse", config.reuse);
  visit("rebuild-tree", config.rebuild_tree);
  visit("noises", config.noises);
  visit("noise", config.noise);
  visit("noise-power", config.noise_power);
  visit("rank", config.rank);
  visit("tree", config.tree);
  visit("arity", config.arity);
  visit("nodes", config.nodes);
  visit("swap-resistance", config.swap_resistance);
  visit("max-candidates", config.max_candidates);
  visit("max-depth", config.max_depth);
  visit("bernoulli", config.bernoulli);
  visit("encoder", config.encoder);
  visit("dim", config.dim);
  visit("layers", config.layers);
  visit("dropout", config.dropout);
  visit("start", config.start);
  visit("epochs", config.epochs);
  visit("lr", config.lr);
  visit("schedule", config.schedule);
  visit("optimizer", config.optimizer);
  visit("batch", config.batch);
  visit("l2", config.l2);
  visit("clip", config.clip);
  visit("patience", config.patience);
  visit("seed", config.seed);
  visit("deterministic", config.deterministic);
}

nlohmann::json to_json(const TrainConfig& config) {
  nlohmann::json json = nlohmann::json::object();
  visit_options(config, [&](const char* name, const auto& value) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      json[name] = name_of(value);
    } else {
      json[name] = value;
    }
  });
  return json;
}

}  // namespace

std::string config_to_json(const TrainConfig& config) {
  return to_json(config).dump();
}

TrainConfig config_from_json(const std::string& text, const std::string& path) {
  TrainConfig config;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    visit_options(config, [&](const char* name, auto& value) {
      using Value = std::decay_t<decltype(value)>;
      if constexpr (std::is_enum_v<Value>) {
        value = value_named<Value>(name, json.at(name).template get<std::string>());
      } else {
        value = json.at(name).template get<Value>();
      }
    });
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        fmt::format("{}: the stored options cannot be read ({}); it was written by another "
                    "version of cane: use that one, or train again",
                    path, error.what()));
  }
  return config;
}

std::string differing_options(const TrainConfig& a, const TrainConfig& b) {
  const nlohmann::json ours = to_json(a);
  const nlohmann::json theirs = to_json(b);
  std::string names;
  for (const auto& [name, value] : ours.items()) {
    if (value != theirs.at(name)) names += (names.empty() ? "--" : ", --") + name;
  }
  return names;
}

}  // namespace cane
