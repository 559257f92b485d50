#include "cane/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "cane/names.h"
#include "core/base/bad_line.h"
#include "core/base/finite.h"
#include "core/base/memory.h"
#include "data/table/columns.h"
#include "methods/method_table.h"
#include "model/config_json.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "model/quantized_model.h"

namespace cane {
namespace {

// Median of a sorted, non-empty range; the mean of the two middle values if its size is even.
double median(std::span<const std::uint64_t> sorted) {
  const std::uint64_t above = sorted[sorted.size() / 2];
  const std::uint64_t below = sorted[(sorted.size() - 1) / 2];
  return static_cast<double>(below) + static_cast<double>(above - below) / 2.0;
}

std::string describe_quantization(const Quantization& quantization) {
  const std::string text = quantization.bits == 8 ? "8 bits with a scale for each class or feature"
                                                  : "16 bits (binary16)";
  return text + "; to predict with, not to train further";
}

std::string describe_calibration(const Calibration& calibration) {
  return fmt::format("temperatures {:.2f} (head), {:.2f} (middle), {:.2f} (tail); {} points",
                     calibration.temperatures[0], calibration.temperatures[1],
                     calibration.temperatures[2], calibration.shares.size());
}

std::string describe_ngrams(const Vocabulary& vocabulary) {
  const Ngrams& ngrams = vocabulary.ngrams;
  std::string text;
  if (ngrams.words > 1) text += fmt::format(", runs of up to {} words", ngrams.words);
  if (const auto [shortest, longest] = ngrams.characters; longest > 0) {
    text += fmt::format(", runs of {} to {} characters", shortest, longest);
  }
  if (has_ngram_dictionary(vocabulary)) {
    text += fmt::format(": {} of a dictionary", vocabulary.ngram_hashes.size());
  } else if (ngrams.any()) {
    text += ngrams.bits > 0 ? fmt::format(", hashed to {} bits", ngrams.bits) : " hashed likewise";
  }
  return text;
}

// A training whose loss stayed finite may still have lost what only finds candidates.
void check_weights(const ModelData& model) {
  for (std::size_t i = 0; i < model.tables.size(); ++i) {
    const ParameterTable& table = model.tables[i];
    if (model.weights[i].is_quantized() ||
        all_finite({model.weights[i].floats(), table.layout.size()}))
      continue;
    throw Error(
        fmt::format("{} has weights that are no numbers, and nothing is saved: the training has "
                    "gone wrong; try a lower "
                    "`lr`, `normalize l2`, or `clip 1`",
                    table.name));
  }
}

}  // namespace

Model Model::load(const std::string& path) {
  return Model(std::make_shared<const ModelData>(read_model(SafetensorsFile(path))));
}

void Model::save(const std::string& path) const {
  check_weights(*data_);
  write_model(path, *data_);
}

std::string Model::to_bytes() const {
  check_weights(*data_);
  return model_bytes(*data_);
}

Model Model::from_bytes(std::string_view bytes) {
  const SafetensorsFile file("the model's bytes", std::as_bytes(std::span(bytes)));
  return Model(std::make_shared<const ModelData>(read_model(file)));
}

Model Model::with_attributes(std::map<std::string, std::string> attributes) const {
  ModelData data = *data_;
  data.attributes = std::move(attributes);
  return Model(std::make_shared<const ModelData>(std::move(data)));
}

std::size_t Model::classes() const {
  return data_->vocabulary.labels.size();
}
std::size_t Model::dimension() const {
  return data_->vocabulary.dimension;
}
const std::vector<std::string>& Model::labels() const {
  return data_->vocabulary.labels;
}
bool Model::is_quantized() const {
  return data_->quantization.is_quantized();
}
bool Model::has_probabilities() const {
  return row_of(data_->config.method).has_probabilities;
}
bool Model::takes_text() const {
  return data_->vocabulary.feature_kind != FeatureKind::kIndices;
}
const std::vector<std::uint64_t>& Model::class_counts() const {
  return data_->class_counts;
}
std::uint32_t Model::epochs_trained() const {
  return data_->epochs_trained;
}
const std::map<std::string, std::string>& Model::attributes() const {
  return data_->attributes;
}
const Origin& Model::origin() const {
  return data_->origin;
}
const TrainConfig& Model::config() const {
  return data_->config;
}
std::size_t Model::weight_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t table = 0; table < data_->tables.size(); ++table) {
    bytes += stored_bytes(*data_, table);
  }
  return bytes;
}

std::vector<std::pair<std::string, std::string>> Model::description() const {
  const ModelData& model = *data_;
  const Vocabulary& vocabulary = model.vocabulary;
  std::string features = fmt::format("{} and a bias", vocabulary.dimension);
  if (vocabulary.feature_kind == FeatureKind::kWords) features += ", words of a dictionary";
  if (vocabulary.feature_kind == FeatureKind::kHashedWords) {
    features += fmt::format(", words hashed to {} bits", vocabulary.hash_bits);
  }
  features += describe_ngrams(vocabulary);
  std::vector<std::uint64_t> class_counts = model.class_counts;
  std::sort(class_counts.begin(), class_counts.end());
  std::vector<std::pair<std::string, std::string>> lines = {
      {"method", name_of(model.config.method)},
      {"classes", std::to_string(classes())},
      {"features", features},
      {"tokenizer", name_of(vocabulary.tokenizer)},
      {"weights of features", name_of(vocabulary.weights)},
      {"normalize", name_of(vocabulary.normalize)}};
  if (!vocabulary.columns.empty()) {
    lines.emplace_back("table", columns_text(vocabulary.columns));
  }
  if (model.quantization.is_quantized()) {
    lines.emplace_back("quantized", describe_quantization(model.quantization));
  }
  if (!model.calibration.is_none()) {
    lines.emplace_back("calibrated", describe_calibration(model.calibration));
  }
  if (uses_tree(model.config)) {
    lines.emplace_back("tree", fmt::format("{} inner nodes, arity {}, depth {}",
                                           model.tree.node_count() - model.tree.class_count(),
                                           model.tree.arity(), model.tree.depth()));
  }
  if (model.method_state != nullptr) {
    for (auto& line : model.method_state->lines(model.config)) lines.push_back(std::move(line));
  }
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    lines.emplace_back(model.tables[table].name,
                       fmt::format("{} ({})", model.tables[table].layout.size(),
                                   bytes_as_text(stored_bytes(model, table))));
  }
  const Origin& origin = model.origin;
  if (!origin.date.empty()) lines.emplace_back("date", shown(origin.date));
  if (!origin.data.empty()) lines.emplace_back("data", shown(origin.data));
  if (!origin.checksum.empty()) lines.emplace_back("checksum", shown(origin.checksum));
  if (!origin.note.empty()) lines.emplace_back("note", shown(origin.note));
  lines.insert(lines.end(), {{"epochs trained", std::to_string(model.epochs_trained)},
                             {"training examples", std::to_string(model.training_examples)},
                             {"kept examples", std::to_string(model.kept.size())},
                             {"smallest class", std::to_string(class_counts.front())},
                             {"median class", fmt::format("{}", median(class_counts))},
                             {"largest class", std::to_string(class_counts.back())},
                             {"options", config_to_json(model.config)}});
  return lines;
}

}  // namespace cane
