#include "cane/model.h"

#include <fmt/format.h>

#include "base/memory.h"
#include "cane/names.h"
#include "model/config_json.h"
#include "model/model_data.h"
#include "model/model_file.h"

namespace cane {

Model Model::load(const std::string& path) {
  return Model(std::make_shared<const ModelData>(read_model(SafetensorsFile(path))));
}

void Model::save(const std::string& path) const {
  write_model(path, *data_);
}

std::size_t Model::classes() const {
  return data_->tree.class_count();
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
  return data_->weights.size_bytes();
}

std::vector<std::pair<std::string, std::string>> Model::description() const {
  const ModelData& model = *data_;
  const Vocabulary& vocabulary = model.vocabulary;
  std::string features = fmt::format("{} and a bias", vocabulary.dimension);
  if (vocabulary.feature_kind == FeatureKind::kWords) features += ", words of a dictionary";
  if (vocabulary.feature_kind == FeatureKind::kHashedWords) {
    features += fmt::format(", words hashed to {} bits", vocabulary.hash_bits);
  }
  return {{"method", name_of(model.config.method)},
          {"classes", std::to_string(model.tree.class_count())},
          {"features", features},
          {"normalize", name_of(vocabulary.normalize)},
          {"tree", fmt::format("{} inner nodes, arity {}, depth {}",
                               model.tree.node_count() - model.tree.class_count(),
                               model.tree.arity(), model.tree.depth())},
          {"weights",
           fmt::format("{} ({})", model.weights.size(), bytes_as_text(model.weights.size_bytes()))},
          {"epochs trained", std::to_string(model.epochs_trained)},
          {"training examples", std::to_string(model.training_examples)},
          {"options", config_to_json(model.config)}};
}

}  // namespace cane
