#include "engine/start_training.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "methods/device.h"
#include "methods/resolve.h"
#include "train/start/automatic_rate.h"
#include "train/start/start.h"

namespace cane {

Checkpoint start_training(StartSource& source, const Dataset& data, const TrainConfig& config,
                          bool validates, const RunContext& context) {
  Checkpoint start;
  start.model = describe_model(source, config, context);
  start.model.training_examples = data.size();
  start.model.class_counts = count_examples(data);
  check_memory(estimate_memory(data.data(), start.model, context.threads(), validates));
  start.state = make_train_state(start.model.tables, start.model.config);
  start_routing(start.model, start.state);
  const StartReport report =
      start_weights(source.means(), start.model, context.pool(), start.state);
  // The rates of a proposal are stored as multiples of the class rate, but do not follow it.
  const float factor =
      config.lr == 0.0F
          ? rate_factor(start.model.config, data.data().view.density(), report.loss_share)
          : 1.0F;
  start.model.config.lr *= factor;
  for (std::size_t table = kProjectionTable; table < start.model.tables.size(); ++table) {
    start.state.rate_scales[table] /= factor;
  }
  TrainObserver& observer = context.observer();
  if (report.class_scale > 0.0F) {
    observer.on_message(
        fmt::format("start from the class means, scaled by {:.3g}{}: {:.0f}% of a blind guess's "
                    "loss are left; learning rate {:.4g}",
                    report.class_scale, report.with_frequencies ? ", and frequencies" : "",
                    100 * report.loss_share, start.model.config.lr));
  }
  if (report.proposal_scale > 0.0F) {
    observer.on_message(
        has_prior(start.model.config)
            ? fmt::format("prior from the class means, scaled by {:.3g}", report.proposal_scale)
            : fmt::format("proposal of rank {} from the principal directions of the class means, "
                          "scaled by {:.3g}",
                          start.model.config.rank, report.proposal_scale));
  }
  return start;
}

Checkpoint resume_training(const Dataset& data, const TrainConfig& config, std::uint64_t data_print,
                           TrainObserver& observer) {
  Checkpoint checkpoint = read_checkpoint(config.checkpoint_path, data_print);
  TrainConfig& chosen = checkpoint.model.config;
  TrainConfig asked = with_choices_of(chosen, config);
  // A device chooses other batches, and searches in every epoch; a training may change its device.
  if (asked.batch == 0) asked.batch = chosen.batch;
  if (trains_on_device(config)) chosen.reuse = asked.reuse = 1;
  const TrainConfig wanted =
      resolve(asked, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()))).config;
  const std::string differing = differing_fields(chosen, wanted);
  if (!differing.empty()) {
    throw Error(
        fmt::format("{}: it was made with other values of {}; leave these out, or train "
                    "again without `resume`",
                    config.checkpoint_path, differing));
  }
  observer.on_message(fmt::format("resumed after {} epochs and {} batches",
                                  checkpoint.state.loop.epoch, checkpoint.state.next_batch));
  return checkpoint;
}

}  // namespace cane
