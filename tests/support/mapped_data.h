// Synthetic data whose rows are in a mapped file, as they are when they come from the cache.
#pragma once

#include <fmt/format.h>

#include <fstream>

#include "core/base/random.h"
#include "data/reader/load_data.h"
#include "support/temporary_folder.h"

namespace cane::testing {

class MappedData {
 public:
  static constexpr std::uint32_t kFeatures = 40;

  /// Each example has about a tenth of the features, or all of them.
  MappedData(std::size_t examples, bool dense, std::uint32_t classes = 100) {
    const std::string path = folder_.path("data.svm");
    write(path, examples, dense, classes);
    DataOptions options;
    options.cache_directory = folder_.path("cache");
    load_data(path, options);
    data_ = load_data(path, options);
  }

  const DatasetView& view() const { return data_.view; }

 private:
  static void write(const std::string& path, std::size_t examples, bool dense,
                    std::uint32_t classes) {
    const CounterRandom random(1, RandomPurpose::kShuffle, 0);
    std::ofstream file(path);
    for (std::size_t i = 0; i < examples; ++i) {
      file << random.below(classes, i, 0);
      for (std::uint32_t feature = 1; feature <= kFeatures; ++feature) {
        const bool is_present = dense || random.below(10, i, 2 * feature) == 0;
        if (is_present)
          file << fmt::format(" {}:{:.3f}", feature, random.uniform(i, 2 * feature + 1));
      }
      file << '\n';
    }
  }

  TemporaryFolder folder_;
  LoadedData data_;
};

}  // namespace cane::testing
