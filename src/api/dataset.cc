#include "cane/dataset.h"

#include <algorithm>
#include <iterator>

#include "cane/model.h"
#include "core/base/thread_pool.h"
#include "data/fit.h"
#include "data/gathered_data.h"
#include "data/memory/memory_rows.h"
#include "data/reader/load_data.h"
#include "data/subset.h"
#include "model/model_data.h"

namespace cane {
namespace {

Dataset dataset_of(LoadedData data) {
  return Dataset(std::make_shared<const LoadedData>(std::move(data)));
}

Dataset compared(LoadedData data, const Vocabulary& known, const RowLengths& trained) {
  std::ranges::move(warnings_about(data, known, trained), std::back_inserter(data.report.warnings));
  return dataset_of(std::move(data));
}

// What later data is read through.
struct Known {
  explicit Known(const Model& model)
      : vocabulary(model.data().vocabulary), lengths(model.data().row_lengths) {}
  explicit Known(const Dataset& training)
      : vocabulary(training.data().vocabulary), lengths(measure_lengths(training.data().view)) {}

  const Vocabulary& vocabulary;
  RowLengths lengths;
};

Dataset load_through(const std::string& path, const Known& known, const DataOptions& options,
                     const Context& context) {
  return compared(load_data(path, options, &known.vocabulary, context), known.vocabulary,
                  known.lengths);
}
Dataset load_through(const Examples& examples, const Known& known, const DataOptions& options) {
  return compared(load_examples(examples, options, &known.vocabulary), known.vocabulary,
                  known.lengths);
}

}  // namespace

Dataset Dataset::load(const std::string& path, const DataOptions& options, const Context& context) {
  return dataset_of(load_data(path, options, nullptr, context));
}
Dataset Dataset::load(const std::string& path, const Model& model, const DataOptions& options,
                      const Context& context) {
  return load_through(path, Known(model), options, context);
}
Dataset Dataset::load(const std::string& path, const Dataset& training, const DataOptions& options,
                      const Context& context) {
  return load_through(path, Known(training), options, context);
}

Dataset Dataset::load(const Examples& examples, const DataOptions& options) {
  return dataset_of(load_examples(examples, options));
}
Dataset Dataset::load(const Examples& examples, const Model& model, const DataOptions& options) {
  return load_through(examples, Known(model), options);
}
Dataset Dataset::load(const Examples& examples, const Dataset& training,
                      const DataOptions& options) {
  return load_through(examples, Known(training), options);
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
  return dataset_of(take_subset(*data_, examples));
}

Dataset Dataset::canonical(int threads) const {
  ThreadPool pool(threads);
  return dataset_of(canonical_order(*data_, pool));
}

Dataset Dataset::gathered(const Ranks& ranks, const std::string& cache_directory) const {
  if (ranks.is_alone()) return *this;
  return dataset_of(gather_data(*data_, ranks.communicator(), {.folder = cache_directory}));
}

std::span<const RowGap> Dataset::gaps() const {
  return data_->gaps;
}
std::span<const std::string> Dataset::kept(std::size_t example) const {
  const std::size_t columns = data_->kept.size() / std::max<std::size_t>(size(), 1);
  return std::span(data_->kept).subspan(example * columns, columns);
}
std::uint64_t Dataset::first_example() const {
  return data_->first_example;
}

std::span<const std::uint32_t> Dataset::class_ids() const {
  return data_->view.labels();
}
static_assert(Dataset::kNoClass == kUnknownClass);

std::pair<Dataset, Dataset> split(const Dataset& data, double held_out, std::uint64_t seed) {
  const SplitExamples parts = split_examples(data.size(), held_out, seed);
  return {data.subset(parts.rest), data.subset(parts.held_out)};
}

}  // namespace cane
