#include "engine/start_training.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "engine/parts.h"
#include "methods/device.h"
#include "methods/resolve.h"
#include "train/classes/sharded_start.h"
#include "train/start/automatic_rate.h"
#include "train/start/start.h"

namespace cane {

namespace {

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
        has_prior(model.config)
            ? fmt::format("prior from the class means, scaled by {:.3g}", report.proposal_scale)
            : fmt::format("proposal of rank {} from the principal directions of the class means, "
                          "scaled by {:.3g}",
                          model.config.rank, report.proposal_scale));
  }
}

// Whether the rate of a table follows that of the classes: those of a proposal are stored as
// multiples of it, but do not.
bool follows_rate(std::size_t table) {
  return table < kProjectionTable;
}

void check_shares_classes(const ModelData& model) {
  if (trains_by_team(model)) return;
  throw OptionError("parallel",
                    "classes that are shared out train the softmax over dense rows only, without "
                    "an encoder and AdaGrad",
                    "use `method cane` with `select none`, or `parallel data`");
}

}  // namespace

Checkpoint start_training(StartSource& source, const Dataset& data, const TrainConfig& config,
                          const Dataset* validation, bool shares_classes,
                          const RunContext& context) {
  Checkpoint start;
  auto& [model, state, best, shards] = start;
  Communicator& ranks = context.ranks();
  model = describe_model(source, config, context);
  model.training_examples = data.size();
  model.class_counts = count_examples(data);
  StartReport report;
  if (shares_classes) {
    check_shares_classes(model);
    check_memory(estimate_class_memory(data.data(), model, context.threads(), validation != nullptr,
                                       ranks.ranks()));
    const std::uint32_t count = ClassShards::count_for(ranks.ranks());
    shards.emplace(model.tables, ClassShards(static_cast<std::uint32_t>(data.classes()), count),
                   shards_of_rank(count, ranks.rank(), ranks.ranks()));
    state = make_train_state(shards->tables, model.config);
    report = start_shards(data.data().view, model, *shards, context.pool(), ranks, state);
  } else {
    check_memory(estimate_memory(data.data(), model, context.threads(),
                                 validation != nullptr ? &validation->data() : nullptr));
    state = make_train_state(model.tables, model.config);
    start_method_state(model, state);
    report = start_weights(source.means(), model, context.pool(), state);
  }
  const float factor =
      config.lr == 0.0F ? rate_factor(model.config, data.data().view.density(), report.loss_share)
                        : 1.0F;
  model.config.lr *= factor;
  for (std::size_t table = 0; table < state.rate_scales.size(); ++table) {
    if (!follows_rate(table)) state.rate_scales[table] /= factor;
  }
  report_start(model, report, context.observer());
  return start;
}

Checkpoint resume_training(const Dataset& data, const TrainConfig& config,
                           const DataPrint& data_print, bool shares_classes,
                           const RunContext& context) {
  const std::string& path = config.checkpoint_path;
  Checkpoint checkpoint = shares_classes
                              ? read_sharded_checkpoint(path, data_print, context.ranks())
                              : read_checkpoint(path, data_print);
  TrainConfig& chosen = checkpoint.model.config;
  if (trains_on_device(config) && whitens(chosen, data.data().view.density())) {
    // Plain steps need a rate of their own.
    chosen.whiten = WhitenKind::kOff;
    if (config.lr == 0.0F) {
      chosen.lr =
          automatic_rate(data.data().view, chosen, static_cast<std::uint32_t>(data.classes()));
    }
  }
  TrainConfig asked = with_choices_of(chosen, config);
  // A device chooses other batches and lists; a training may change its device.
  if (asked.batch == 0) asked.batch = chosen.batch;
  const TrainConfig wanted =
      resolve(asked, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()))).config;
  const std::string differing = differing_fields(chosen, wanted);
  if (!differing.empty()) {
    throw Error(
        fmt::format("{}: it was made with other values of {}; leave these out, or train "
                    "again without `resume`",
                    path, differing));
  }
  if (whitens(chosen, data.data().view.density())) {
    checkpoint.state.whitening =
        StartMeans(data.data().view, static_cast<std::uint32_t>(data.classes()), chosen.seed)
            .whitening(context.pool());
  }
  context.observer().on_message(fmt::format("resumed after {} epochs and {} batches",
                                            checkpoint.state.loop.epoch,
                                            checkpoint.state.next_batch));
  return checkpoint;
}

}  // namespace cane
