#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "cane/error.h"
#include "cane/export.h"
#include "cane/names.h"
#include "core/file/atomic_file.h"
#include "data/loaded_data.h"

namespace cane {

void export_examples(const Dataset& data, const std::string& path, Format format) {
  if (format != Format::kSvm && format != Format::kVw) {
    throw OptionError("format", fmt::format("cannot write '{}'", name_of(format)), "use svm or vw");
  }
  constexpr std::size_t kBuffer = 1U << 20;
  const DatasetView& view = data.data().view;
  AtomicFile file(path);
  std::vector<float> scratch(view.dimension());
  std::string lines;
  for (std::size_t example = 0; example < view.size(); ++example) {
    const ClassId label = view.label(example);
    if (label == kUnknownClass) continue;
    lines += format == Format::kSvm ? data.labels()[label] : fmt::format("{} |", label + 1);
    const RowView row = view.row(example, scratch);
    for (std::uint32_t i = 0; i < row.count; ++i) {
      if (row.values[i] == 0.0F) continue;
      const FeatureId feature = row.indices == nullptr ? i : row.indices[i];
      fmt::format_to(std::back_inserter(lines), " {}:{}", feature, row.values[i]);
    }
    lines += '\n';
    if (lines.size() < kBuffer) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
  file.commit();
}

}  // namespace cane
