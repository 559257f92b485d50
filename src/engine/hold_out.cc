#include "engine/hold_out.h"

#include <vector>

#include "core/base/random.h"
#include "core/base/random_permutation.h"
#include "data/loaded_data.h"
#include "engine/method.h"
#include "engine/start_source.h"

namespace cane {

std::pair<Dataset, Dataset> hold_out(const Dataset& data, std::size_t count, std::uint64_t seed) {
  const DatasetView& view = data.data().view;
  const RandomPermutation place(view.size(), CounterRandom(seed, RandomPurpose::kSplit));
  std::vector<std::uint64_t> left = count_examples(data);
  std::vector<bool> is_held_out(view.size(), false);
  std::vector<std::uint32_t> held_out;
  for (std::size_t i = 0; i < view.size() && held_out.size() < count; ++i) {
    const auto example = static_cast<std::uint32_t>(place(i));
    if (left[view.label(example)] < 2) continue;
    --left[view.label(example)];
    is_held_out[example] = true;
    held_out.push_back(example);
  }
  std::vector<std::uint32_t> rest;
  for (std::uint32_t example = 0; example < view.size(); ++example) {
    if (!is_held_out[example]) rest.push_back(example);
  }
  if (held_out.empty()) return {data, data};
  return {data.subset(rest), data.subset(held_out)};
}

double accuracy_on(const Dataset& data, const ModelData& model, const WeightViews& weights,
                   ThreadPool& pool) {
  EvaluateOptions options;
  options.top_k = {1};
  options.probability = Probability::kNone;
  return evaluate(make_predictor(model, weights), data.data().view, model.class_counts,
                  search_widths(model, 0), options, pool)
      .accuracy;
}

}  // namespace cane
