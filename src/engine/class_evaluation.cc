#include "engine/class_evaluation.h"

#include <algorithm>
#include <vector>

#include "core/base/stopwatch.h"
#include "predict/class_measures.h"
#include "predict/measures.h"
#include "train/classes/sharded_answers.h"

namespace cane {
namespace {

// The answers among which a label is looked for.
constexpr std::uint32_t kTop = 5;

}  // namespace

Evaluation evaluate_shards(Checkpoint& run, const DatasetView& data, const Encoder* encoder,
                           ThreadPool& pool, Communicator& ranks) {
  const TrainConfig& config = run.model.config;
  const std::uint32_t classes = run.shards->shards.classes();
  const std::uint32_t keep = std::min(std::max(config.candidates, kTop), classes);
  ShardedSearch search(*run.shards, run.state,
                       {.merge = {.method = config.method, .candidates = keep},
                        .width = std::max(config.beam, keep),
                        .rank = config.rank},
                       pool, ranks);
  const bool wants_dense = encoder == nullptr && run.model.flat_width == kRowWidth;
  Evaluation evaluation;
  std::vector<Outcome> outcomes(data.size());
  std::uint64_t among_top = 0;
  std::uint64_t covered = 0;
  const Stopwatch stopwatch;
  find_answers(
      search, data, encoder, wants_dense, config.batch,
      [&](std::size_t example, std::span<const ClassId> found) {
        const ClassId label = data.label(example);
        const auto place =
            static_cast<std::size_t>(std::ranges::find(found, label) - found.begin());
        outcomes[example] = {
            .label = label, .correct = place == 0, .probability = 0.0F, .answer = found.front()};
        const auto is_within = [&](std::size_t count) {
          return place < std::min(count, found.size()) ? 1U : 0U;
        };
        among_top += is_within(kTop);
        covered += is_within(config.candidates);
        evaluation.accuracy += is_within(1);
        evaluation.unseen_labels += label == kUnknownClass ? 1 : 0;
      });
  const auto share = [&](double count) {
    return count / static_cast<double>(std::max<std::size_t>(data.size(), 1));
  };
  evaluation.seconds = stopwatch.seconds();
  evaluation.accuracy = share(evaluation.accuracy);
  evaluation.top = {{1, evaluation.accuracy}, {kTop, share(static_cast<double>(among_top))}};
  evaluation.coverage = share(static_cast<double>(covered));
  evaluation.examples = data.size();
  evaluation.macro_accuracy = macro_accuracy(outcomes, classes);
  const std::vector<ClassMeasures> measures = class_measures(outcomes, classes);
  evaluation.macro_f1 = macro_f1(measures);
  evaluation.weighted_f1 = weighted_f1(measures);
  const FrequencyGroups groups = frequency_groups(outcomes, run.model.class_counts);
  evaluation.head = groups.head;
  evaluation.middle = groups.middle;
  evaluation.tail = groups.tail;
  return evaluation;
}

}  // namespace cane
