#include "engine/class_evaluation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/stopwatch.h"
#include "predict/evaluate.h"
#include "train/classes/sharded_answers.h"

namespace cane {

Evaluation evaluate_shards(Checkpoint& run, const DatasetView& data, const Encoder* encoder,
                           ThreadPool& pool, Communicator& ranks) {
  const TrainConfig& config = run.model.config;
  EvaluateOptions options;
  options.probability = Probability::kNone;
  const std::uint32_t top = std::ranges::max(options.top_k);
  const std::uint32_t keep =
      std::min(std::max(config.candidates, top), run.shards->shards.classes());
  ShardedSearch search(*run.shards, run.state,
                       {.merge = {.method = config.method, .candidates = keep},
                        .width = std::max(config.beam, keep),
                        .rank = config.rank},
                       pool, ranks);
  const bool wants_dense = encoder == nullptr && run.model.flat_width == kRowWidth;
  std::vector<Outcome> outcomes(data.size());
  const Stopwatch stopwatch;
  find_answers(search, data, encoder, wants_dense, config.batch,
               [&](std::size_t example, std::span<const ClassId> found) {
                 const ClassId label = data.label(example);
                 const auto place = std::ranges::find(found, label) - found.begin();
                 outcomes[example] = {.label = label, .answer = found.front()};
                 if (std::cmp_equal(place, found.size())) return;
                 outcomes[example].place = static_cast<std::uint32_t>(place);
                 outcomes[example].is_covered = outcomes[example].place < config.candidates;
               });
  const double seconds = stopwatch.seconds();
  Evaluation evaluation = measure(outcomes, run.model.class_counts, top, options);
  evaluation.seconds = seconds;
  return evaluation;
}

}  // namespace cane
