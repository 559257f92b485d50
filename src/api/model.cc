#include "cane/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "api/describe_routing.h"
#include "base/memory.h"
#include "cane/names.h"
#include "model/config_json.h"
#include "model/model_data.h"
#include "model/model_file.h"

namespace cane {
namespace {

// Of a sorted range with something in it; the mean of the middle two where there are two.
double median(std::span<const std::uint64_t> sorted) {
  const std::uint64_t above = sorted[sorted.size() / 2];
  const std::uint64_t below = sorted[(sorted.size() - 1) / 2];
  return static_cast<double>(below) + static_cast<double>(above - below) / 2.0;
}

std::string describe_ngrams(const Ngrams& ngrams) {
  std::string text;
  if (ngrams.words > 1) text += fmt::format(", runs of up to {} words", ngrams.words);
  if (const auto [shortest, longest] = ngrams.characters; longest > 0) {
    text += fmt::format(", runs of {} to {} characters", shortest, longest);
  }
  if (ngrams.any()) {
    text += ngrams.bits > 0 ? fmt::format(", hashed to {} bits", ngrams.bits) : " hashed likewise";
  }
  return text;
}

}  // namespace

Model Model::load(const std::string& path) {
  return Model(std::make_shared<const ModelData>(read_model(SafetensorsFile(path))));
}

void Model::save(const std::string& path) const {
  write_model(path, *data_);
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
const TrainConfig& Model::config() const {
  return data_->config;
}
std::size_t Model::weight_bytes() const {
  std::size_t bytes = 0;
  for (const auto& table : data_->weights) bytes += table.size_bytes();
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
  features += describe_ngrams(vocabulary.ngrams);
  std::vector<std::uint64_t> class_counts = model.class_counts;
  std::sort(class_counts.begin(), class_counts.end());
  std::vector<std::pair<std::string, std::string>> lines = {
      {"method", name_of(model.config.method)},
      {"classes", std::to_string(classes())},
      {"features", features},
      {"normalize", name_of(vocabulary.normalize)}};
  if (uses_tree(model.config)) {
    lines.emplace_back("tree", fmt::format("{} inner nodes, arity {}, depth {}",
                                           model.tree.node_count() - model.tree.class_count(),
                                           model.tree.arity(), model.tree.depth()));
  }
  if (model.routing != nullptr) {
    for (auto& line : describe_routing(*model.routing, model.config)) {
      lines.push_back(std::move(line));
    }
  }
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const auto weights = model.weights[table];
    lines.emplace_back(model.tables[table].name,
                       fmt::format("{} ({})", weights.size(), bytes_as_text(weights.size_bytes())));
  }
  lines.insert(lines.end(), {{"epochs trained", std::to_string(model.epochs_trained)},
                             {"training examples", std::to_string(model.training_examples)},
                             {"smallest class", std::to_string(class_counts.front())},
                             {"median class", fmt::format("{}", median(class_counts))},
                             {"largest class", std::to_string(class_counts.back())},
                             {"options", config_to_json(model.config)}});
  return lines;
}

}  // namespace cane
