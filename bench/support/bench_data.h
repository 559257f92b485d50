// The data of a benchmark: a file, or by default sparse synthetic examples in the shape of ALOI
// (1,000 classes, 128 features of which a part is set).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "data/loaded_data.h"
#include "support/small_data.h"

namespace cane::bench {

class BenchData {
 public:
  BenchData(int argument_count, char** arguments) {
    if (argument_count > 1) {
      DataOptions options;
      options.normalize = Normalize::kL2;
      options.use_cache = false;
      file_ = load_data(arguments[1], options);
      return;
    }
    testing::SmallDataOptions options;
    options.classes = 1000;
    options.examples = 20000;
    options.dimension = 128;
    options.sparse = true;
    synthetic_.emplace(options);
  }

  DatasetView view() const { return file_ ? file_->view : synthetic_->view(); }
  std::uint32_t classes() const {
    return file_ ? static_cast<std::uint32_t>(file_->vocabulary.labels.size()) : 1000;
  }

 private:
  std::optional<LoadedData> file_;
  std::optional<testing::SmallData> synthetic_;
};

}  // namespace cane::bench
