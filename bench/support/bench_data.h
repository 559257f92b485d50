// The data of a benchmark: a file, or synthetic examples. These are sparse with the shape of ALOI
// (1,000 classes, 128 features, some of them set), or dense from the law of `cane synth`.
#pragma once

#include <optional>
#include <string>

#include "cane/data_options.h"
#include "cane/synth.h"
#include "data/reader/load_data.h"
#include "support/small_data.h"
#include "support/temporary_folder.h"

namespace cane::bench {

class BenchData {
 public:
  /// Sparse examples in the shape of ALOI.
  BenchData() : classes_(1000) {
    testing::SmallDataOptions options;
    options.classes = classes_;
    options.examples = 20000;
    options.dimension = 128;
    options.sparse = true;
    synthetic_.emplace(options);
  }

  explicit BenchData(const std::string& path) {
    DataOptions options;
    options.normalize = Normalize::kL2;
    load(path, options);
  }

  explicit BenchData(const SynthOptions& shape) {
    folder_.emplace();
    load(synthesize(folder_->path("data"), shape).train_path, {});
  }

  /// The file given as the first argument, or else sparse examples.
  static BenchData of_arguments(int argument_count, char** arguments) {
    return argument_count > 1 ? BenchData(arguments[1]) : BenchData();
  }

  DatasetView view() const { return synthetic_ ? synthetic_->view() : file_.view; }
  std::uint32_t classes() const { return classes_; }

 private:
  void load(const std::string& path, DataOptions options) {
    options.use_cache = false;
    file_ = load_data(path, options);
    classes_ = static_cast<std::uint32_t>(file_.vocabulary.labels.size());
  }

  std::uint32_t classes_ = 0;
  std::optional<testing::TemporaryFolder> folder_;
  LoadedData file_;
  std::optional<testing::SmallData> synthetic_;
};

}  // namespace cane::bench
