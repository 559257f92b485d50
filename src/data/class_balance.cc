#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "data/subset.h"

namespace cane {
namespace {

struct Balanced {
  std::shared_ptr<const void> features;
  std::vector<float> weights;
};

}  // namespace

LoadedData balance_classes(const LoadedData& data) {
  const DatasetView& view = data.view;
  const auto classes = static_cast<std::uint32_t>(data.vocabulary.labels.size());
  const std::vector<double> counts = class_counts(view, classes);
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto present = std::ranges::count_if(counts, [](double count) { return count > 0.0; });
  auto balanced = std::make_shared<Balanced>();
  balanced->features = data.storage;
  balanced->weights.resize(view.size());
  for (std::size_t example = 0; example < view.size(); ++example) {
    const ClassId label = view.label(example);
    const double factor = label == kUnknownClass || counts[label] == 0.0
                              ? 1.0
                              : total / (static_cast<double>(present) * counts[label]);
    balanced->weights[example] =
        static_cast<float>(static_cast<double>(view.weight(example)) * factor);
  }
  LoadedData result = data;
  result.view = view.with_weights(balanced->weights);
  result.storage = std::move(balanced);
  return result;
}

}  // namespace cane
