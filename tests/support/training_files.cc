#include "support/training_files.h"

#include <fmt/format.h>

#include <vector>

#include "support/small_data.h"

namespace cane::testing {

std::string TrainingFiles::write(const char* name, std::uint64_t seed, std::uint32_t examples) {
  SmallDataOptions data_options;
  data_options.seed = seed;
  data_options.examples = examples;
  const SmallData data(data_options);
  const DatasetView view = data.view();
  std::vector<float> scratch(view.dimension());
  std::string text;
  for (std::size_t e = 0; e < view.size(); ++e) {
    text += fmt::format("class-{:02}", view.label(e));
    const RowView row = view.row(e, scratch);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      text += fmt::format(" {}:{}", p + 1, row.values[p]);
    }
    text += '\n';
  }
  return folder_.write(name, text);
}

}  // namespace cane::testing
