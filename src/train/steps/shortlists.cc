#include "train/steps/shortlists.h"

#include "core/objective/pooled_noises.h"
#include "methods/with_objective.h"

namespace cane {

StepStats Shortlists::differentiate(Method method, bool pools_noises, std::uint32_t count,
                                    const DatasetView& data,
                                    std::span<const std::uint32_t> examples,
                                    std::span<const RowView> rows, float clip) {
  gradient_.resize(classes_.size());
  const auto differentiate = [&](const auto& objective) {
    StepStats totals;
    totals.examples = size();
    for (std::size_t e = 0; e < size(); ++e) {
      Entry& entry = entries_[e];
      const Shortlist list = shortlist(e);
      const auto gradient = std::span(gradient_).subspan(entry.start, entry.size());
      const float loss = objective(list, scores(e).data(), gradient.data());
      const float weight = data.weight(examples[e]);
      totals.loss += static_cast<double>(weight) * static_cast<double>(loss);
      totals.weight += static_cast<double>(weight);
      totals.covered += list.label_at < list.candidates ? 1 : 0;
      entry.step_scale = clipped_weight(weight, clip, gradient, rows[e]);
    }
    return totals;
  };
  return pools_noises ? differentiate(PooledNoises())
                      : with_objective(method, count, differentiate);
}

}  // namespace cane
