#include "model/kept_examples.h"

#include <algorithm>
#include <cmath>

#include "cane/config.h"
#include "core/base/random.h"
#include "core/base/random_permutation.h"
#include "data/rows/joined_rows.h"

namespace cane {
namespace {

// Enough that a class keeps its place among others, few enough that most models stay small.
constexpr std::uint32_t kOfClass = 100;
constexpr std::uint64_t kLeastBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kShareOfWeights = 4;
// Where these bytes are too few for that, so many of each class may take more.
constexpr std::uint32_t kFewOfClass = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
// Of those that were not trained on: enough to tell five points.
constexpr double kMostUnseen = 1000.0;
constexpr double kShareOfUnseen = 0.2;

std::uint64_t bytes_of_row(const DatasetView& data) {
  if (data.is_dense()) return (std::uint64_t{data.dimension()} + 1) * sizeof(float);
  const std::uint64_t values = data.size() == 0 ? 0 : data.stored_values() / data.size();
  return (values + 1) * (sizeof(FeatureId) + sizeof(float));
}

}  // namespace

DatasetView KeptExamples::view(FeatureId dimension) const {
  if (is_dense()) {
    return {
        DatasetView::Dense{.matrix = reinterpret_cast<const std::byte*>(values.data()), .rows = {}},
        dimension,
        labels,
        {}};
  }
  return {
      DatasetView::Sparse{.offsets = offsets, .indices = indices.data(), .values = values.data()},
      dimension,
      labels,
      {}};
}

const char* validation_error(const KeptExamples& kept, FeatureId dimension, std::size_t classes) {
  const bool fits = kept.is_dense() ? kept.values.size() == kept.labels.size() * dimension
                                    : kept.offsets.size() == kept.labels.size() + 1 &&
                                          kept.offsets.front() == 0 &&
                                          kept.offsets.back() == kept.values.size() &&
                                          kept.indices.size() == kept.values.size() &&
                                          std::ranges::is_sorted(kept.offsets);
  if (!fits || kept.unseen > kept.labels.size())
    return "its examples of earlier training do not fit each other";
  const auto is_known = [&](ClassId label) { return label < classes; };
  const auto is_feature = [&](FeatureId feature) { return feature < dimension; };
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(kept.labels, is_known) ||
      !std::ranges::all_of(kept.indices, is_feature) ||
      !std::ranges::all_of(kept.values, is_finite)) {
    return "its examples of earlier training are out of range";
  }
  return nullptr;
}

KeepLimits keep_limits(std::uint32_t asked, const DatasetView& data, std::size_t classes,
                       std::uint64_t weight_bytes) {
  if (asked != TrainConfig::kAutoMemory) return {asked, std::uint64_t{asked} * classes};
  const std::uint64_t few =
      std::min(kMostBytes / bytes_of_row(data), classes * std::uint64_t{kFewOfClass});
  const std::uint64_t most =
      std::max(std::max(kLeastBytes, weight_bytes / kShareOfWeights) / bytes_of_row(data), few);
  const auto of_class = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most / std::max<std::size_t>(classes, 1), 1, kOfClass));
  return {of_class, most};
}

KeptExamples keep_examples(const DatasetView& data, const DatasetView* unseen, std::size_t classes,
                           const KeptExamples& earlier,
                           std::span<const std::uint64_t> earlier_counts, const KeepLimits& limits,
                           std::uint64_t seed) {
  std::vector<std::uint64_t> counts(classes, 0);
  for (const ClassId label : data.labels()) ++counts[label];
  // The earlier ones of a class give way in proportion to the examples that are new.
  std::vector<std::uint64_t> left_of_earlier(classes, 0);
  double all_earlier = 0.0;
  for (std::size_t k = 0; k < earlier_counts.size(); ++k) {
    const auto before = static_cast<double>(earlier_counts[k]);
    const double all = std::max(before + static_cast<double>(counts[k]), 1.0);
    left_of_earlier[k] = static_cast<std::uint64_t>(std::ceil(limits.of_class * before / all));
    all_earlier += before;
  }
  const double share = all_earlier / std::max(all_earlier + static_cast<double>(data.size()), 1.0);
  const auto most_earlier =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(limits.total)));
  std::vector<std::uint64_t> left(classes, limits.of_class);
  // Sorted, so that a mapped file is read front to back.
  const auto chosen_of = [&](std::span<const ClassId> labels, std::size_t first, std::size_t most,
                             std::vector<std::uint64_t>* left_of_these) {
    std::vector<std::size_t> chosen;
    const RandomPermutation place(labels.size(), CounterRandom(seed, RandomPurpose::kExamples));
    for (std::size_t i = 0; i < labels.size() && chosen.size() < most; ++i) {
      const auto example = static_cast<std::size_t>(place(i));
      const ClassId label = labels[example];
      if (example < first || left[label] == 0 ||
          (left_of_these != nullptr && (*left_of_these)[label] == 0))
        continue;
      --left[label];
      if (left_of_these != nullptr) --(*left_of_these)[label];
      chosen.push_back(example);
    }
    std::ranges::sort(chosen);
    return chosen;
  };
  auto rows = std::make_shared<JoinedRows>(data.is_dense(), data.dimension());
  const DatasetView before = earlier.view(data.dimension());
  const double most_unseen =
      std::min(kMostUnseen, kShareOfUnseen * static_cast<double>(limits.total));
  const auto add_unseen = [&](const DatasetView& from, std::size_t size, double most) {
    const RandomPermutation place(size, CounterRandom(seed, RandomPurpose::kExamples));
    for (std::size_t i = 0; i < size && static_cast<double>(rows->labels.size()) < most; ++i) {
      const auto example = static_cast<std::size_t>(place(i));
      if (from.label(example) < classes) rows->add(from, example);
    }
  };
  add_unseen(before, earlier.unseen, share * most_unseen);
  if (unseen != nullptr) add_unseen(*unseen, unseen->size(), most_unseen);
  const std::size_t all_unseen = rows->labels.size();
  for (const std::size_t i :
       chosen_of(earlier.labels, earlier.unseen, most_earlier, &left_of_earlier)) {
    rows->add(before, i);
  }
  const std::size_t most = limits.total - std::min<std::size_t>(limits.total, rows->labels.size());
  for (const std::size_t i : chosen_of(data.labels(), 0, most, nullptr)) rows->add(data, i);
  KeptExamples kept;
  if (rows->labels.empty()) return kept;
  if (!data.is_dense()) kept.offsets = rows->offsets;
  kept.indices = rows->indices;
  kept.values = rows->values;
  kept.labels = rows->labels;
  kept.unseen = all_unseen;
  kept.storage = rows;
  return kept;
}

}  // namespace cane
