#include "data/rows/class_balance.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "data/loaded_data.h"

namespace cane {
namespace {

struct Balanced {
  std::shared_ptr<const void> features;
  std::vector<float> weights;
};

}  // namespace

Dataset balance_classes(const Dataset& data) {
  const LoadedData& loaded = data.data();
  const DatasetView& view = loaded.view;
  const std::vector<double> counts = class_counts(view, static_cast<std::uint32_t>(data.classes()));
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto present = std::ranges::count_if(counts, [](double count) { return count > 0.0; });
  auto balanced = std::make_shared<Balanced>();
  balanced->features = loaded.storage;
  balanced->weights.resize(view.size());
  for (std::size_t example = 0; example < view.size(); ++example) {
    const ClassId label = view.label(example);
    const double factor = label == kUnknownClass || counts[label] == 0.0
                              ? 1.0
                              : total / (static_cast<double>(present) * counts[label]);
    balanced->weights[example] =
        static_cast<float>(static_cast<double>(view.weight(example)) * factor);
  }
  LoadedData result = loaded;
  result.view = view.with_weights(balanced->weights);
  result.storage = std::move(balanced);
  return Dataset(std::make_shared<const LoadedData>(std::move(result)));
}

}  // namespace cane
