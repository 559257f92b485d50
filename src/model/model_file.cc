#include "model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/mapped_file.h"
#include "cane/error.h"
#include "cane/names.h"
#include "cane/version.h"
#include "model/config_json.h"
#include "model/misfit.h"
#include "model/routing_file.h"

namespace cane {
namespace {

constexpr const char* kFormatVersion = "2";

// Strings end to end, and where each one ends.
struct PackedStrings {
  explicit PackedStrings(std::span<const std::string> strings) {
    for (const std::string& string : strings) {
      text.insert(text.end(), string.begin(), string.end());
      ends.push_back(text.size());
    }
  }
  std::vector<std::uint8_t> text;
  std::vector<std::uint64_t> ends;
};

[[noreturn]] void fail(const SafetensorsFile& file, const std::string& what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was made by another program: train again "
                  "or fetch it anew",
                  file.path(), what));
}

std::vector<std::string> unpack(const SafetensorsFile& file, const std::string& name) {
  const auto text = file.values<std::uint8_t>(name + ".text");
  const auto ends = file.values<std::uint64_t>(name + ".ends");
  std::vector<std::string> strings;
  strings.reserve(ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > text.size()) fail(file, fmt::format("{}.ends is out of order", name));
    strings.emplace_back(text.begin() + static_cast<std::ptrdiff_t>(begin),
                         text.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  if (begin != text.size()) fail(file, fmt::format("{}.text has more than its strings", name));
  return strings;
}

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
    fail(file, "classes.examples does not fit the labels");
  }
  std::uint64_t rest = model.training_examples;
  bool fits = true;
  for (const std::uint64_t count : model.class_counts) {
    fits = fits && count <= rest;
    rest -= std::min(count, rest);
  }
  if (!fits || rest > 0) {
    fail(file, "classes.examples does not add up to the examples of the training");
  }
}

// Options may ask for more rows than any machine can number; the file is as large as it is.
bool has_rows(const SafetensorsFile& file, const TrainConfig& config) {
  return config.nodes <= file.values<float>("weights").size();
}

ClassTree read_tree(const SafetensorsFile& file) {
  const auto child_counts = file.values<std::uint32_t>("tree.child_counts");
  const auto leaf_classes = file.values<std::uint32_t>("tree.leaf_classes");
  try {
    return ClassTree({child_counts.begin(), child_counts.end()},
                     {leaf_classes.begin(), leaf_classes.end()});
  } catch (const Error& error) {
    fail(file, error.what());
  }
}

}  // namespace

void write_model(const std::string& path, const ModelData& model, const FurtherContents& further) {
  const PackedStrings labels(model.vocabulary.labels);
  const PackedStrings words(model.vocabulary.words);
  const std::vector<ClassId> leaf_classes = model.tree.leaf_classes();
  std::optional<RoutingTensors> routing;
  if (model.routing != nullptr) {
    routing.emplace(kRoutingPrefix, *model.routing, further.for_training);
  }
  std::vector<TensorToWrite> tensors;
  const auto append = [&](const std::vector<TensorToWrite>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    tensors.push_back(tensor_to_write<float>(model.tables[table].name, model.weights[table]));
  }
  tensors.push_back(tensor_to_write<std::uint64_t>("classes.examples", model.class_counts));
  tensors.push_back(tensor_to_write<std::uint64_t>("labels.ends", labels.ends));
  tensors.push_back(tensor_to_write<std::uint64_t>("words.ends", words.ends));
  if (routing) append(routing->wide());
  append(further.wide);
  append(further.narrow);
  if (routing) append(routing->narrow());
  if (uses_tree(model.config)) {
    tensors.push_back(
        tensor_to_write<std::uint32_t>("tree.child_counts", model.tree.child_counts()));
    tensors.push_back(tensor_to_write<std::uint32_t>("tree.leaf_classes", leaf_classes));
  }
  tensors.push_back(tensor_to_write<std::uint8_t>("labels.text", labels.text));
  tensors.push_back(tensor_to_write<std::uint8_t>("words.text", words.text));

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
  if (const char* what = misfit(model.config)) fail(file, what);
  try {
    features_from_json(nlohmann::json::parse(file.metadata("cane.features")), model.vocabulary);
    const auto training = nlohmann::json::parse(file.metadata("cane.training"));
    model.epochs_trained = training.at("epochs").get<std::uint32_t>();
    model.training_examples = training.at("examples").get<std::uint64_t>();
    model.flat_width = training.at("flat_width").get<std::uint32_t>();
  } catch (const nlohmann::json::exception& error) {
    fail(file, fmt::format("its metadata cannot be read ({})", error.what()));
  }
  model.vocabulary.labels = unpack(file, "labels");
  model.vocabulary.words = unpack(file, "words");
  if (uses_tree(model.config)) model.tree = read_tree(file);
  const std::size_t classes = model.vocabulary.labels.size();
  if (uses_tree(model.config) && classes != model.tree.class_count()) {
    fail(file, "the labels do not fit the tree");
  }
  if (model.config.method == Method::kFilterTree && model.tree.arity() != 2) {
    fail(file, "the tree of its tournament is not binary");
  }
  const auto class_counts = file.values<std::uint64_t>("classes.examples");
  model.class_counts.assign(class_counts.begin(), class_counts.end());
  check_class_counts(file, model);
  if (model.flat_width != kRowWidth && model.flat_width != kPanelWidth) {
    fail(file, "its flat_width is not one of ours");
  }
  if (uses_routing(model.config)) {
    model.routing = std::make_shared<const RoutingState>(
        read_routing(file, kRoutingPrefix, model.config, static_cast<std::uint32_t>(classes)));
  }
  if (is_online_tree(model.config) && !has_rows(file, model.config)) {
    fail(file, "weights does not fit the nodes of its options");
  }
  model.tables = make_tables(model.config, model.tree, static_cast<std::uint32_t>(classes),
                             model.vocabulary.dimension, model.flat_width);
  for (const ParameterTable& table : model.tables) {
    model.weights.push_back(file.values<float>(table.name));
    if (model.weights.back().size() != table.layout.size()) {
      fail(file, fmt::format("{} does not fit the classes and features", table.name));
    }
  }
  model.storage = file.mapping();
  if (const char* what = misfit(model.vocabulary)) fail(file, what);
  return model;
}

}  // namespace cane
