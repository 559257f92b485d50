#include "cane/dataset.h"

#include "cane/model.h"
#include "data/fit.h"
#include "data/loaded_data.h"
#include "data/rows/subset.h"
#include "model/model_data.h"

namespace cane {
namespace {

Dataset load_through(const std::string& path, const Vocabulary& known, const RowLengths& trained,
                     const DataOptions& options) {
  LoadedData data = load_data(path, options, &known);
  data.report.warnings = warnings_about(data, known, trained);
  return Dataset(std::make_shared<const LoadedData>(std::move(data)));
}

}  // namespace

Dataset Dataset::load(const std::string& path, const DataOptions& options) {
  return Dataset(std::make_shared<const LoadedData>(load_data(path, options)));
}

Dataset Dataset::load(const std::string& path, const Model& model, const DataOptions& options) {
  return load_through(path, model.data().vocabulary, model.data().row_lengths, options);
}

Dataset Dataset::load(const std::string& path, const Dataset& training,
                      const DataOptions& options) {
  const LoadedData& known = training.data();
  return load_through(path, known.vocabulary, measure_lengths(known.view), options);
}

std::vector<std::string> Dataset::files(const std::string& path, const DataOptions& options) {
  return files_of_data(path, options);
}

std::size_t Dataset::size() const {
  return data_->view.size();
}
double Dataset::density() const {
  return data_->view.density();
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

Dataset Dataset::subset(std::span<const std::uint32_t> examples) const {
  return Dataset(std::make_shared<const LoadedData>(take_subset(*data_, examples)));
}

std::pair<Dataset, Dataset> split(const Dataset& data, double held_out, std::uint64_t seed) {
  const SplitExamples parts = split_examples(data.size(), held_out, seed);
  return {data.subset(parts.rest), data.subset(parts.held_out)};
}

}  // namespace cane
