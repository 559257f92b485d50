#include "model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cane/error.h"
#include "cane/names.h"
#include "cane/version.h"
#include "core/file/damaged.h"
#include "core/file/mapped_file.h"
#include "core/file/packed_strings.h"
#include "model/config_json.h"
#include "model/quantized_file.h"
#include "model/routing_file.h"
#include "model/validation_error.h"

namespace cane {
namespace {

constexpr const char* kFormatVersion = "2";

constexpr const char* kFeatureKinds[] = {"indices", "words", "hashed-words"};

nlohmann::json features_to_json(const Vocabulary& vocabulary) {
  return {{"kind", kFeatureKinds[static_cast<std::size_t>(vocabulary.feature_kind)]},
          {"dimension", vocabulary.dimension},
          {"hash_bits", vocabulary.hash_bits},
          {"word_ngrams", vocabulary.ngrams.words},
          {"char_ngrams", {vocabulary.ngrams.characters.min, vocabulary.ngrams.characters.max}},
          {"ngram_bits", vocabulary.ngrams.bits},
          {"normalize", name_of(vocabulary.normalize)}};
}

void features_from_json(const nlohmann::json& json, Vocabulary& vocabulary) {
  const auto kind = json.at("kind").get<std::string>();
  for (std::size_t i = 0; i < std::size(kFeatureKinds); ++i) {
    if (kind == kFeatureKinds[i]) vocabulary.feature_kind = static_cast<FeatureKind>(i);
  }
  vocabulary.dimension = json.at("dimension").get<FeatureId>();
  vocabulary.hash_bits = json.at("hash_bits").get<std::uint32_t>();
  // Models from before there were n-grams say nothing about them.
  if (json.contains("word_ngrams")) {
    const nlohmann::json& characters = json.at("char_ngrams");
    vocabulary.ngrams = {
        json.at("word_ngrams").get<std::uint32_t>(),
        {characters.at(0).get<std::uint32_t>(), characters.at(1).get<std::uint32_t>()},
        json.at("ngram_bits").get<std::uint32_t>()};
  }
  vocabulary.normalize =
      value_named<Normalize>("normalize", json.at("normalize").get<std::string>());
}

void check_class_counts(const SafetensorsFile& file, const ModelData& model) {
  if (model.class_counts.size() != model.vocabulary.labels.size()) {
    throw_damaged(file, "classes.examples does not fit the labels");
  }
  std::uint64_t rest = model.training_examples;
  bool fits = true;
  for (const std::uint64_t count : model.class_counts) {
    fits = fits && count <= rest;
    rest -= std::min(count, rest);
  }
  if (!fits || rest > 0) {
    throw_damaged(file, "classes.examples does not add up to the examples of the training");
  }
}

// Options may ask for more rows than any machine can number; the file is as large as it is.
bool has_rows(const SafetensorsFile& file, const TrainConfig& config) {
  return config.nodes <= (is_quantized(file) ? quantized_columns(file, "weights")
                                             : file.values<float>("weights").size());
}

Quantization read_quantization(const SafetensorsFile& file) {
  Quantization quantization;
  if (!is_quantized(file)) return quantization;
  const auto json = nlohmann::json::parse(file.metadata(kQuantizedEntry));
  quantization.bits = json.at("bits").get<std::uint32_t>();
  quantization.drop = json.at("drop").get<float>();
  if (quantization.bits != 8 && quantization.bits != 16) {
    throw_damaged(file, fmt::format("its weights have {} bits", quantization.bits));
  }
  return quantization;
}

// In the mapped file, but those that are kept without their zeros.
void read_weights(const SafetensorsFile& file, ModelData& model) {
  std::vector<std::shared_ptr<const void>> storage = {file.mapping()};
  for (const ParameterTable& table : model.tables) {
    if (model.quantization.is_quantized() && table.role != TableRole::kFactors) {
      model.weights.push_back(read_quantized(file, table, model.quantization, storage));
      continue;
    }
    const auto weights = file.values<float>(table.name);
    if (weights.size() != table.layout.size()) {
      throw_damaged(file, fmt::format("{} does not fit the classes and features", table.name));
    }
    model.weights.emplace_back(weights.data());
  }
  model.storage = std::make_shared<const std::vector<std::shared_ptr<const void>>>(storage);
}

ClassTree read_tree(const SafetensorsFile& file) {
  const auto child_counts = file.values<std::uint32_t>("tree.child_counts");
  const auto leaf_classes = file.values<std::uint32_t>("tree.leaf_classes");
  try {
    return ClassTree({child_counts.begin(), child_counts.end()},
                     {leaf_classes.begin(), leaf_classes.end()});
  } catch (const Error& error) {
    throw_damaged(file, error.what());
  }
}

}  // namespace

void write_model(const std::string& path, const ModelData& model, const ExtraContents& further) {
  const bool is_small = model.quantization.is_quantized();
  const PackedStrings labels("labels", model.vocabulary.labels, is_small);
  const PackedStrings words("words", model.vocabulary.words, is_small);
  const QuantizedTensors quantized(model);
  const std::vector<ClassId> leaf_classes = model.tree.leaf_classes();
  std::optional<RoutingTensors> routing;
  if (model.routing != nullptr) {
    routing.emplace(kRoutingPrefix, *model.routing, further.for_training);
  }
  std::vector<TensorToWrite> tensors;
  const auto append = [&](const std::vector<TensorToWrite>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  append(quantized.tables());
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    if (model.weights[table].is_quantized()) continue;
    tensors.push_back(
        tensor_to_write<float>(model.tables[table].name, float_weights(model, table)));
  }
  tensors.push_back(tensor_to_write<std::uint64_t>("classes.examples", model.class_counts));
  append(labels.wide());
  append(words.wide());
  if (routing) append(routing->wide());
  append(further.wide);
  append(further.narrow);
  if (routing) append(routing->narrow());
  if (uses_tree(model.config)) {
    tensors.push_back(
        tensor_to_write<std::uint32_t>("tree.child_counts", model.tree.child_counts()));
    tensors.push_back(tensor_to_write<std::uint32_t>("tree.leaf_classes", leaf_classes));
  }
  append(quantized.four_bytes());
  append(quantized.two_bytes());
  append(quantized.bytes());
  append(labels.bytes());
  append(words.bytes());

  Metadata metadata = further.metadata;
  metadata["cane.format_version"] = kFormatVersion;
  metadata["cane.writer"] = "cane " + version();
  metadata["cane.method"] = name_of(model.config.method);
  metadata["cane.options"] = config_to_json(model.config);
  metadata["cane.features"] = features_to_json(model.vocabulary).dump();
  metadata["cane.training"] = nlohmann::json({{"epochs", model.epochs_trained},
                                              {"examples", model.training_examples},
                                              {"flat_width", model.flat_width}})
                                  .dump();
  if (is_small) {
    metadata[kQuantizedEntry] =
        nlohmann::json({{"bits", model.quantization.bits}, {"drop", model.quantization.drop}})
            .dump();
  }
  write_safetensors(path, tensors, metadata);
}

ModelData read_model(const SafetensorsFile& file) {
  if (file.metadata("cane.format_version") != kFormatVersion) {
    throw Error(
        fmt::format("{}: it has format version {}, this program reads version {}: use the "
                    "cane that wrote it ({}), or train again",
                    file.path(), file.metadata("cane.format_version"), kFormatVersion,
                    file.metadata("cane.writer")));
  }
  ModelData model;
  model.config = config_from_json(file.metadata("cane.options"), file.path());
  if (const char* what = validation_error(model.config)) throw_damaged(file, what);
  try {
    features_from_json(nlohmann::json::parse(file.metadata("cane.features")), model.vocabulary);
    const auto training = nlohmann::json::parse(file.metadata("cane.training"));
    model.epochs_trained = training.at("epochs").get<std::uint32_t>();
    model.training_examples = training.at("examples").get<std::uint64_t>();
    model.flat_width = training.at("flat_width").get<std::uint32_t>();
    model.quantization = read_quantization(file);
  } catch (const nlohmann::json::exception& error) {
    throw_damaged(file, fmt::format("its metadata cannot be read ({})", error.what()));
  }
  const bool is_small = model.quantization.is_quantized();
  model.vocabulary.labels = unpack_strings(file, "labels", is_small);
  model.vocabulary.words = unpack_strings(file, "words", is_small);
  if (uses_tree(model.config)) model.tree = read_tree(file);
  const std::size_t classes = model.vocabulary.labels.size();
  if (uses_tree(model.config) && classes != model.tree.class_count()) {
    throw_damaged(file, "the labels do not fit the tree");
  }
  if (model.config.method == Method::kFilterTree && model.tree.arity() != 2) {
    throw_damaged(file, "the tree of its tournament is not binary");
  }
  const auto class_counts = file.values<std::uint64_t>("classes.examples");
  model.class_counts.assign(class_counts.begin(), class_counts.end());
  check_class_counts(file, model);
  if (model.flat_width != kRowWidth && model.flat_width != kPanelWidth) {
    throw_damaged(file, "its flat_width is not one of ours");
  }
  if (uses_routing(model.config)) {
    model.routing = std::make_shared<const RoutingState>(
        read_routing(file, kRoutingPrefix, model.config, static_cast<std::uint32_t>(classes)));
  }
  if (is_online_tree(model.config) && !has_rows(file, model.config)) {
    throw_damaged(file, "weights does not fit the nodes of its options");
  }
  model.tables = make_tables(model.config, model.tree, static_cast<std::uint32_t>(classes),
                             model.vocabulary.dimension, model.flat_width);
  read_weights(file, model);
  if (const char* what = validation_error(model.vocabulary)) throw_damaged(file, what);
  return model;
}

}  // namespace cane
