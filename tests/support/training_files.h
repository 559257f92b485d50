// Small training and test files with string labels, for tests of the public API.
#pragma once

#include <cstdint>
#include <string>

#include "cane/cane.h"
#include "support/temporary_folder.h"

namespace cane::testing {

class TrainingFiles {
 public:
  TrainingFiles() : train_(write("train.svm", 1, 400)), test_(write("test.svm", 2, 150)) {}

  /// Shared files for tests that only read them.
  static const TrainingFiles& shared() {
    static const TrainingFiles files;
    return files;
  }

  const TemporaryFolder& folder() const { return folder_; }
  DataOptions options() const {
    DataOptions data_options;
    data_options.use_cache = false;
    data_options.threads = 1;
    return data_options;
  }
  Dataset train() const { return Dataset::load(train_, options()); }
  Dataset test() const { return Dataset::load(test_, train(), options()); }
  const std::string& test_path() const { return test_; }

  static TrainConfig config() {
    TrainConfig config;
    config.method = Method::kCane;
    config.select = SelectorKind::kBeam;
    config.arity = 4;
    config.candidates = 5;
    config.epochs = 4;
    config.threads = 2;
    config.deterministic = true;
    return config;
  }

 private:
  std::string write(const char* name, std::uint64_t seed, std::uint32_t examples);

  TemporaryFolder folder_;
  std::string train_;
  std::string test_;
};

}  // namespace cane::testing
