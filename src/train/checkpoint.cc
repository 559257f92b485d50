#include "train/checkpoint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "model/model_file.h"
#include "model/quantized_file.h"
#include "model/routing_file.h"

namespace cane {
namespace {

constexpr const char* kEntry = "cane.checkpoint";
// Before the name of the table they belong to.
constexpr const char* kOptimizerPrefix = "optimizer.";
constexpr const char* kBestPrefix = "best.";

void copy_floats(std::span<const float> from, std::span<float> to, const std::string& path,
                 const std::string& name) {
  if (from.size() != to.size()) {
    throw Error(
        fmt::format("{}: {} does not fit the model; the file is damaged: train anew without "
                    "--resume",
                    path, name));
  }
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace

std::uint64_t data_fingerprint(const DatasetView& data, const Vocabulary& vocabulary) {
  std::uint64_t print = fingerprint(vocabulary);
  const std::uint64_t sizes[] = {data.size(), data.dimension(), data.stored_values()};
  print = XXH3_64bits_withSeed(sizes, sizeof sizes, print);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const ClassId label = data.label(i);
    print = XXH3_64bits_withSeed(&label, sizeof label, print);
  }
  return print;
}

void write_checkpoint(const std::string& path, ModelData model, TrainState& state,
                      const BestWeights& best, std::uint64_t data_print) {
  model.weights = views_of(state.weights);
  model.routing = state.routing;
  model.epochs_trained = state.loop.epoch;
  ExtraContents further;
  further.for_training = true;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const std::string& name = model.tables[table].name;
    const auto optimizer = state.optimizers[table]->state();
    if (!optimizer.empty()) {
      further.narrow.push_back(tensor_to_write<float>(kOptimizerPrefix + name, optimizer));
    }
    if (!best.weights.empty()) {
      further.narrow.push_back(
          tensor_to_write<float>(kBestPrefix + name, best.weights[table].span()));
    }
  }
  std::optional<RoutingTensors> best_routing;
  if (best.routing != nullptr) {
    best_routing.emplace(std::string(kBestPrefix) + kRoutingPrefix, *best.routing, false);
    further.wide = best_routing->wide();
    for (TensorToWrite& tensor : best_routing->narrow()) {
      further.narrow.push_back(std::move(tensor));
    }
  }
  const nlohmann::json json = {{"further", state.further},
                               {"epoch", state.loop.epoch},
                               {"next_batch", state.next_batch},
                               {"loss", state.totals.loss},
                               {"weight", state.totals.weight},
                               {"examples", state.totals.examples},
                               {"covered", state.totals.covered},
                               {"rows_scored", state.totals.rows_scored},
                               {"best_accuracy", state.loop.best_score.value_or(-1.0)},
                               {"best_epoch", state.loop.best_epoch},
                               {"seconds", state.loop.seconds},
                               {"rate_scales", state.rate_scales},
                               {"data", data_print}};
  further.metadata = {{kEntry, json.dump()}};
  write_model(path, model, further);
}

bool continues_training(const std::string& path) {
  const SafetensorsFile file(path);
  if (!file.metadata().contains(kEntry)) return false;
  const auto json = nlohmann::json::parse(file.metadata(kEntry), nullptr, false);
  return json.is_object() && json.value("further", false);
}

Checkpoint read_checkpoint(const std::string& path, std::uint64_t data_print) {
  const SafetensorsFile file(path);
  if (is_quantized(file)) {
    throw Error(
        fmt::format("{}: a quantized model cannot be trained further; train the one that it was "
                    "made from, and quantize that",
                    path));
  }
  if (!file.metadata().contains(kEntry)) {
    throw Error(fmt::format("{}: this is no checkpoint; train anew without --resume", path));
  }
  Checkpoint checkpoint;
  checkpoint.model = read_model(file);
  try {
    const auto json = nlohmann::json::parse(file.metadata(kEntry));
    if (json.at("data").get<std::uint64_t>() != data_print) {
      throw Error(
          fmt::format("{}: it was made with other training data; --resume needs the same "
                      "file and the same reading options",
                      path));
    }
    TrainState& state = checkpoint.state;
    state = make_train_state(checkpoint.model.tables, checkpoint.model.config);
    state.further = json.value("further", false);
    state.loop.epoch = json.at("epoch").get<std::uint32_t>();
    state.next_batch = json.at("next_batch").get<std::uint64_t>();
    state.totals = {json.at("loss").get<double>(), json.at("weight").get<double>(),
                    json.at("examples").get<std::uint64_t>(),
                    json.at("covered").get<std::uint64_t>(),
                    json.at("rows_scored").get<std::uint64_t>()};
    const double best_accuracy = json.at("best_accuracy").get<double>();
    if (best_accuracy >= 0.0) state.loop.best_score = best_accuracy;
    state.loop.best_epoch = json.at("best_epoch").get<std::uint32_t>();
    state.loop.seconds = json.at("seconds").get<double>();
    state.rate_scales = json.at("rate_scales").get<std::vector<float>>();
    state.rate_scales.resize(state.weights.size(), 1.0F);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("{}: the checkpoint cannot be read ({}); train anew without --resume",
                            path, error.what()));
  }
  for (std::size_t table = 0; table < checkpoint.model.tables.size(); ++table) {
    const std::string& name = checkpoint.model.tables[table].name;
    TrainState& state = checkpoint.state;
    copy_floats(float_weights(checkpoint.model, table), state.weights[table].span(), path, name);
    const auto optimizer = state.optimizers[table]->state();
    const std::string optimizer_name = kOptimizerPrefix + name;
    if (!optimizer.empty()) {
      copy_floats(file.values<float>(optimizer_name), optimizer, path, optimizer_name);
    }
    const std::string best_name = kBestPrefix + name;
    if (file.has(best_name)) {
      checkpoint.best.weights.emplace_back(state.weights[table].size());
      copy_floats(file.values<float>(best_name), checkpoint.best.weights[table].span(), path,
                  best_name);
    }
  }
  if (checkpoint.model.routing != nullptr) {
    checkpoint.state.routing = std::make_shared<RoutingState>(*checkpoint.model.routing);
    checkpoint.model.routing = checkpoint.state.routing;
    if (!checkpoint.best.weights.empty()) {
      checkpoint.best.routing = std::make_shared<const RoutingState>(
          read_routing(file, std::string(kBestPrefix) + kRoutingPrefix, checkpoint.model.config,
                       static_cast<std::uint32_t>(checkpoint.model.vocabulary.labels.size())));
    }
  }
  if (!checkpoint.best.weights.empty() &&
      checkpoint.best.weights.size() != checkpoint.model.tables.size()) {
    throw Error(
        fmt::format("{}: some of its best weights are missing; train anew without --resume", path));
  }
  return checkpoint;
}

}  // namespace cane
