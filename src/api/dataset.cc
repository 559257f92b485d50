#include "cane/dataset.h"

#include "cane/model.h"
#include "data/loaded_data.h"
#include "model/model_data.h"

namespace cane {
namespace {

Dataset load_through(const std::string& path, const Vocabulary* known, const DataOptions& options) {
  return Dataset(std::make_shared<const LoadedData>(load_data(path, options, known)));
}

}  // namespace

Dataset Dataset::load(const std::string& path, const DataOptions& options) {
  return load_through(path, nullptr, options);
}

Dataset Dataset::load(const std::string& path, const Model& model, const DataOptions& options) {
  return load_through(path, &model.data().vocabulary, options);
}

Dataset Dataset::load(const std::string& path, const Dataset& training,
                      const DataOptions& options) {
  return load_through(path, &training.data().vocabulary, options);
}

std::size_t Dataset::size() const {
  return data_->view.size();
}
std::size_t Dataset::dimension() const {
  return data_->view.dimension();
}
const std::vector<std::string>& Dataset::labels() const {
  return data_->vocabulary.labels;
}
const ReadReport& Dataset::report() const {
  return data_->report;
}

}  // namespace cane
