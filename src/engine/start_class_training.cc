#include "engine/start_class_training.h"

#include <fmt/format.h>

#include <utility>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "engine/class_memory.h"
#include "engine/describe_model.h"
#include "engine/memory_estimate.h"
#include "engine/start_source.h"
#include "methods/resolve.h"
#include "train/classes/sharded_start.h"
#include "train/start/automatic_rate.h"

namespace cane {
namespace {

ModelData describe_whole(const Dataset& data, const TrainConfig& asked, const ThreadPool& pool,
                         TrainObserver& observer) {
  ModelData model;
  model.vocabulary = data.data().vocabulary;
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  const Resolved resolved = resolve(asked, facts);
  for (const std::string& reason : resolved.reasons) observer.on_message(reason);
  model.config = resolved.config;
  check_options_fit(model.config, model.vocabulary.dimension, pool.threads());
  model.training_examples = data.size();
  model.class_counts = count_examples(data);
  if (model.config.lr == 0.0F) {
    model.config.lr = automatic_rate(data.data().view, model.config, facts.classes);
    observer.on_message(fmt::format("learning rate {:.4g}, to fit the features", model.config.lr));
  }
  model.flat_width = flat_width(model.config, facts.density);
  model.tables = make_tables(model.config, model.tree, facts.classes, model.vocabulary.dimension,
                             model.flat_width);
  return model;
}

void report_start(const ModelData& model, const StartReport& report, TrainObserver& observer) {
  if (report.class_scale > 0.0F) {
    observer.on_message(
        fmt::format("start from the class means, scaled by {:.3g}{}: {:.0f}% of a blind guess's "
                    "loss are left; learning rate {:.4g}",
                    report.class_scale, report.with_frequencies ? ", and frequencies" : "",
                    100 * report.loss_share, model.config.lr));
  }
  if (report.proposal_scale > 0.0F) {
    observer.on_message(
        fmt::format("proposal of rank {} from the principal directions of the class means, scaled "
                    "by {:.3g}",
                    model.config.rank, report.proposal_scale));
  }
}

}  // namespace

ShardedCheckpoint start_class_training(const Dataset& data, const TrainConfig& config,
                                       bool validates, ThreadPool& pool, TrainObserver& observer,
                                       Communicator& ranks) {
  ModelData model = describe_whole(data, config, pool, observer);
  check_memory(estimate_class_memory(data.data(), model, pool.threads(), validates, ranks.ranks()));
  const std::uint32_t shards = ClassShards::count_for(ranks.ranks());
  ShardTables tables(model.tables, model.config,
                     ClassShards(static_cast<std::uint32_t>(data.classes()), shards),
                     shards_of_rank(shards, ranks.rank(), ranks.ranks()));
  ShardedState state = make_sharded_state(tables, model.config);
  const DatasetView& view = data.data().view;
  const StartReport report = start_shards(view, model, tables, pool, ranks, state);
  // The rates of a proposal are stored as multiples of the class rate, but do not follow it.
  const float factor =
      config.lr == 0.0F ? rate_factor(model.config, view.density(), report.loss_share) : 1.0F;
  model.config.lr *= factor;
  for (float& scale : state.common.rate_scales) scale /= factor;
  for (TrainState& shard : state.shards) shard.rate_scales[kShardProposal] /= factor;
  report_start(model, report, observer);
  return {std::move(model), std::move(tables), std::move(state), {}};
}

ShardedCheckpoint resume_class_training(const Dataset& data, const TrainConfig& config,
                                        std::uint64_t data_print, TrainObserver& observer,
                                        const Communicator& ranks) {
  ShardedCheckpoint checkpoint = read_sharded_checkpoint(config.checkpoint_path, data_print, ranks);
  const TrainConfig& chosen = checkpoint.model.config;
  TrainConfig asked = with_choices_of(chosen, config);
  if (asked.batch == 0) asked.batch = chosen.batch;
  const TrainConfig wanted =
      resolve(asked, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()))).config;
  const std::string differing = differing_fields(chosen, wanted);
  if (!differing.empty()) {
    throw Error(
        fmt::format("{}: it was made with other values of {}; leave these out, or train "
                    "again without `resume`",
                    config.checkpoint_path, differing));
  }
  const TrainState& place = checkpoint.state.common;
  observer.on_message(
      fmt::format("resumed after {} epochs and {} batches", place.loop.epoch, place.next_batch));
  return checkpoint;
}

}  // namespace cane
