#include "model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cane/error.h"
#include "cane/version.h"
#include "core/base/bad_line.h"
#include "core/base/finite.h"
#include "core/file/file_kind.h"
#include "methods/check_config.h"
#include "model/config_json.h"
#include "model/quantized_model.h"

namespace cane {
namespace {

// A model that a program of version 2 would read, but not understand, has version 3.
constexpr const char* kFormatVersions[] = {"2", "3"};

// Indexed by FeatureKind.
constexpr const char* kFeatureKinds[] = {"indices", "words", "hashed-words"};

const char* format_version(const Vocabulary& vocabulary) {
  const bool is_plain = vocabulary.tokenizer == TokenizerKind::kSpaces &&
                        vocabulary.weights == FeatureWeights::kCount &&
                        !has_ngram_dictionary(vocabulary);
  return kFormatVersions[is_plain ? 0 : 1];
}

template <typename Archive, typename Text>
void describe_vocabulary(Archive& archive, Text& vocabulary, bool compressed) {
  archive.fields("cane.features", [&](auto& fields) {
    fields.choice("kind", vocabulary.feature_kind, kFeatureKinds);
    fields("dimension", vocabulary.dimension);
    fields("hash_bits", vocabulary.hash_bits);
    // Models written before n-grams existed have no entry for them.
    if (fields.has("word_ngrams")) {
      auto& ngrams = vocabulary.ngrams;
      fields("word_ngrams", ngrams.words);
      fields.pair("char_ngrams", ngrams.characters.min, ngrams.characters.max);
      fields("ngram_bits", ngrams.bits);
    }
    fields("normalize", vocabulary.normalize);
    // Models of version 0.1 have no entries for these.
    if (fields.has("tokenizer")) {
      fields("tokenizer", vocabulary.tokenizer);
      fields("weights", vocabulary.weights);
      fields("multi_label", vocabulary.multi_label);
    }
    // Only models of tables have columns.
    if (fields.has("columns") && (Archive::kReads || !vocabulary.columns.empty())) {
      auto texts = column_texts(vocabulary.columns);
      fields("columns", texts);
      if constexpr (Archive::kReads) vocabulary.columns = columns_of_texts(texts);
    }
  });
  archive.strings("labels", vocabulary.labels, compressed);
  archive.strings("words", vocabulary.words, compressed);
  if (archive.has_tensor("ngrams.hashes", !vocabulary.ngram_hashes.empty())) {
    archive.values("ngrams.hashes", vocabulary.ngram_hashes);
  }
  if (archive.has_tensor("features.factors", !vocabulary.factors.empty())) {
    archive.values("features.factors", vocabulary.factors);
  }
}

template <typename Archive, typename Stored>
void describe_quantization(Archive& archive, Stored& quantization) {
  // Present only in quantized models.
  if (!archive.has_entry(kQuantizedEntry, quantization.is_quantized())) return;
  archive.fields(kQuantizedEntry, [&](auto& fields) { fields("bits", quantization.bits); });
  if constexpr (Archive::kReads) {
    if (quantization.bits != 8 && quantization.bits != 16) {
      throw_damaged(archive.file(), fmt::format("its weights have {} bits", quantization.bits));
    }
  }
}

template <typename Archive, typename Stored>
void describe_calibration(Archive& archive, Stored& calibration) {
  // Present only in calibrated models.
  constexpr const char* kTemperatures = "calibration.temperatures";
  if (!archive.has_tensor(kTemperatures, !calibration.is_none())) return;
  archive.values(kTemperatures, calibration.temperatures);
  archive.values("calibration.probabilities", calibration.probabilities);
  archive.values("calibration.shares", calibration.shares);
  if constexpr (Archive::kReads) {
    if (calibration.is_none()) throw_damaged(archive.file(), "its calibration is empty");
    if (const char* what = validation_error(calibration)) throw_damaged(archive.file(), what);
  }
}

// Optional. What is in them is checked when they are used: most models only predict.
template <typename Archive, typename Stored>
void describe_kept(Archive& archive, Stored& kept) {
  if (!archive.has_tensor("memory.labels", !kept.labels.empty())) return;
  archive.view("memory.labels", kept.labels);
  archive.view("memory.values", kept.values);
  if (archive.has_tensor("memory.offsets", !kept.is_dense())) {
    archive.view("memory.offsets", kept.offsets);
    archive.view("memory.indices", kept.indices);
  }
  if (archive.has_entry("cane.memory", kept.unseen > 0)) {
    archive.fields("cane.memory", [&](auto& fields) { fields("unseen", kept.unseen); });
  }
  if constexpr (Archive::kReads) kept.storage = archive.file().mapping();
}

template <typename Archive>
void describe_tree(Archive& archive, std::vector<std::uint32_t>& child_counts,
                   std::vector<ClassId>& leaf_classes) {
  archive.values("tree.child_counts", child_counts);
  archive.values("tree.leaf_classes", leaf_classes);
}

void store_tree(ArchiveWriter& archive, const ClassTree& tree) {
  const auto child_counts = tree.child_counts();
  describe_tree(archive,
                archive.keep(std::vector<std::uint32_t>(child_counts.begin(), child_counts.end())),
                archive.keep(tree.leaf_classes()));
}

void store_tree(ArchiveReader& archive, ClassTree& tree) {
  std::vector<std::uint32_t> child_counts;
  std::vector<ClassId> leaf_classes;
  describe_tree(archive, child_counts, leaf_classes);
  try {
    tree = ClassTree(std::move(child_counts), std::move(leaf_classes));
  } catch (const Error& error) {
    throw_damaged(archive.file(), error.what());
  }
}

void store_method_state(ArchiveWriter& archive, const ModelData& model, bool for_training) {
  model.method_state->write(archive, "", for_training);
}

void store_method_state(ArchiveReader& archive, ModelData& model, bool /*for_training*/) {
  const auto state = make_method_state(model.config);
  state->read(archive, "", model.config,
              static_cast<std::uint32_t>(model.vocabulary.labels.size()));
  model.method_state = state;
}

void store_weights(ArchiveWriter& archive, const ModelData& model) {
  for (std::size_t i = 0; i < model.tables.size(); ++i) {
    const ParameterTable& table = model.tables[i];
    if (model.weights[i].is_quantized()) {
      write_quantized(archive, table, model.weights[i].quantized());
    } else {
      archive.view(table.name, model.weights[i].floats(), table.layout.size(), kTableAlignment);
    }
  }
}

// Weights are used in the mapped file, except tables that are stored without their zeros.
void store_weights(ArchiveReader& archive, ModelData& model) {
  for (const ParameterTable& table : model.tables) {
    if (model.quantization.is_quantized() && table.role != TableRole::kFactors) {
      model.weights.emplace_back(read_quantized(archive, table, model.quantization));
      continue;
    }
    const float* floats = nullptr;
    archive.view(table.name, floats, table.layout.size(), kTableAlignment);
    if (!all_finite({floats, table.layout.size()})) {
      throw_damaged(archive.file(), fmt::format("{} has weights that are no numbers", table.name));
    }
    model.weights.emplace_back(floats);
  }
  model.storage = archive.storage();
  model.file = archive.file().mapping();
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

// Options may request more rows than can be numbered, so they are checked against the file size.
bool has_rows(const SafetensorsFile& file, const ModelData& model) {
  const char* const name = model.quantization.is_quantized() ? "weights.biases" : "weights";
  return model.config.nodes <= file.values<float>(name).size();
}

/// Everything that determines the sizes of the tables. Throws Error unless it is consistent.
void check_parts(const SafetensorsFile& file, const ModelData& model) {
  const std::size_t classes = model.vocabulary.labels.size();
  if (uses_tree(model.config) && classes != model.tree.class_count()) {
    throw_damaged(file, "the labels do not fit the tree");
  }
  if (row_of(model.config.method).needs_binary_tree && model.tree.arity() != 2) {
    throw_damaged(file, "the tree of its tournament is not binary");
  }
  check_class_counts(file, model);
  if (model.flat_width != kRowWidth && model.flat_width != kPanelWidth) {
    throw_damaged(file, fmt::format("its flat_width is {}, where {} or {} is possible",
                                    model.flat_width, kRowWidth, kPanelWidth));
  }
  if (row_of(model.config.method).grows_nodes && !has_rows(file, model)) {
    throw_damaged(file, "weights does not fit the nodes of its options");
  }
  if (const char* what = validation_error(model.vocabulary)) throw_damaged(file, what);
}

// Facts for people and for warnings. Models of version 0.1 have no entries for these.
template <typename Archive, typename Model>
void describe_origin(Archive& archive, Model& model) {
  auto& origin = model.origin;
  const bool is_known = !(origin.date + origin.data + origin.note).empty();
  if (archive.has_entry("cane.origin", is_known)) {
    archive.fields("cane.origin", [&](auto& fields) {
      fields("date", origin.date);
      fields("data", origin.data);
      fields("checksum", origin.checksum);
      fields("note", origin.note);
    });
  }
  auto& lengths = model.row_lengths;
  if (archive.has_entry("cane.row_lengths", lengths.is_known())) {
    archive.fields("cane.row_lengths", [&](auto& fields) {
      fields("low", lengths.low);
      fields("median", lengths.median);
      fields("high", lengths.high);
    });
  }
}

// Only models that a program gave some have them.
template <typename Archive, typename Attributes>
void describe_attributes(Archive& archive, Attributes& attributes) {
  if (!archive.has_entry("cane.attributes", !attributes.empty())) return;
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : attributes) {
    names.push_back(name);
    values.push_back(value);
  }
  archive.fields("cane.attributes", [&](auto& fields) {
    fields("names", names);
    fields("values", values);
  });
  if constexpr (Archive::kReads) {
    if (names.size() != values.size()) throw_damaged(archive.file(), "its attributes do not match");
    for (std::size_t i = 0; i < names.size(); ++i) attributes[names[i]] = values[i];
  }
}

/// Everything that a model stores in a file, except its options.
template <typename Archive, typename Model>
void describe(Archive& archive, Model& model, bool for_training) {
  archive.fields("cane.training", [&](auto& fields) {
    fields("epochs", model.epochs_trained);
    fields("examples", model.training_examples);
    fields("flat_width", model.flat_width);
  });
  describe_origin(archive, model);
  describe_attributes(archive, model.attributes);
  describe_quantization(archive, model.quantization);
  archive.values("classes.examples", model.class_counts);
  describe_vocabulary(archive, model.vocabulary, model.quantization.is_quantized());
  if (uses_tree(model.config)) store_tree(archive, model.tree);
  if constexpr (Archive::kReads) check_parts(archive.file(), model);
  if (keeps_state(model.config)) store_method_state(archive, model, for_training);
  if constexpr (Archive::kReads) {
    model.tables =
        make_tables(model.config, model.tree, static_cast<std::uint32_t>(model.class_counts.size()),
                    model.vocabulary.dimension, model.flat_width);
  }
  store_weights(archive, model);
  describe_calibration(archive, model.calibration);
  describe_kept(archive, model.kept);
}

}  // namespace

void write_model(ArchiveWriter& archive, const ModelData& model, bool for_training) {
  archive.text("cane.format_version", format_version(model.vocabulary));
  archive.text("cane.writer", "cane " + version());
  archive.text("cane.method", name_of(model.config.method));
  archive.text("cane.options", config_to_json(model.config, model.retired));
  describe(archive, model, for_training);
}

std::map<std::string, std::string> model_metadata(const ModelData& model) {
  ArchiveWriter archive;
  write_model(archive, model, false);
  return archive.metadata();
}

void write_model(const std::string& path, const ModelData& model) {
  ArchiveWriter archive;
  write_model(archive, model, false);
  archive.write(path);
}

std::string model_bytes(const ModelData& model) {
  ArchiveWriter archive;
  write_model(archive, model, false);
  return safetensors_bytes(archive.tensors(), archive.metadata());
}

ModelData read_model(ArchiveReader& archive) {
  const SafetensorsFile& file = archive.file();
  const FileKind kind = kind_of_file(file.path());
  if (kind == FileKind::kLanguageModel || kind == FileKind::kLanguageModelCheckpoint) {
    throw Error(fmt::format("{}: it is {}; use `cane-lm` for it, or give what `cane train` wrote",
                            file.path(), kind_text(kind)));
  }
  const std::string& version = file.metadata("cane.format_version");
  if (std::ranges::find(kFormatVersions, version) == std::end(kFormatVersions)) {
    throw Error(
        fmt::format("{}: it has format version {}, this program reads versions {}: use the "
                    "cane that wrote it ({}), or train again",
                    file.path(), shown(version), fmt::join(kFormatVersions, " and "),
                    shown(file.metadata("cane.writer"))));
  }
  ModelData model;
  const StoredOptions stored = config_from_json(
      file.metadata("cane.options"), {.path = file.path(), .writer = file.metadata("cane.writer")});
  model.config = stored.config;
  model.retired = stored.retired;
  if (const char* what = validation_error(model.config)) throw_damaged(file, what);
  describe(archive, model, false);
  return model;
}

ModelData read_model(const SafetensorsFile& file) {
  ArchiveReader archive(file);
  return read_model(archive);
}

}  // namespace cane
