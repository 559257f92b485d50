#include "cane/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "cane/error.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "data/loaded_data.h"
#include "data/rows/row_copy.h"
#include "engine/describe_model.h"
#include "engine/grow_model.h"
#include "engine/memory_estimate.h"
#include "engine/method.h"
#include "methods/check_config.h"
#include "methods/choose.h"
#include "model/config_json.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "train/checkpoint.h"
#include "train/clusters/rebuild_tree.h"
#include "train/fit.h"
#include "train/shuffle.h"
#include "train/start/automatic_rate.h"
#include "train/start/start.h"
#include "train/trainer.h"

namespace cane {
namespace {

void check_data(const Dataset& data, const Dataset* validation) {
  if (data.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("the training data has more than 4,294,967,295 examples; split it");
  }
  if (validation != nullptr &&
      fingerprint(validation->data().vocabulary) != fingerprint(data.data().vocabulary)) {
    throw Error(
        "the validation data was not read through the training data's labels and features; "
        "read it with Dataset::load(path, training)");
  }
}

void warn_about_data(const Dataset& data, const ModelData& model, TrainObserver& observer) {
  constexpr std::size_t kManyClasses = 100;
  const auto single = static_cast<std::size_t>(
      std::count(model.class_counts.begin(), model.class_counts.end(), 1U));
  if (data.classes() > kManyClasses && 2 * single > data.size()) {
    observer.on_message(fmt::format(
        "{} of {} examples are the only one of their class: nothing can be learned from "
        "these; is the label what stands first in a line?",
        single, data.size()));
  }
  if (is_sorted_by_class(data.data().view, model.class_counts)) {
    observer.on_message(
        "the examples lie sorted by their labels, and are too many to be shuffled as a whole: "
        "shuffle the lines of the file (shuf) for the best accuracy");
  }
}

Checkpoint start_or_resume(const Model* finished, const Dataset& data, const TrainConfig& config,
                           ThreadPool& pool, std::uint64_t data_print, bool validates,
                           TrainObserver& observer) {
  if (config.resume) {
    Checkpoint checkpoint = read_checkpoint(config.checkpoint_path, data_print);
    TrainConfig wanted =
        choose(config, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes())))
            .config;
    if (config.lr == 0.0F) wanted.lr = checkpoint.model.config.lr;
    const std::string differing = differing_options(checkpoint.model.config, wanted);
    if (!differing.empty()) {
      throw Error(
          fmt::format("{}: it was made with other values of {}; leave these out, or train "
                      "anew without --resume",
                      config.checkpoint_path, differing));
    }
    observer.on_message(fmt::format("resumed after {} epochs and {} batches",
                                    checkpoint.state.epoch, checkpoint.state.next_batch));
    return checkpoint;
  }
  if (finished != nullptr) return grow_model(*finished, data, config, pool, observer);
  Checkpoint start;
  start.model = describe_model(data, config, pool, observer);
  check_memory(estimate_memory(data.data(), start.model, pool.threads(), validates));
  start.state = make_train_state(start.model.tables, start.model.config);
  start_routing(start.model, start.state);
  const StartReport report = start_weights(data.data().view, start.model, pool, start.state);
  return_freed_memory();
  // Rates of a proposal are its own: they are kept as multiples of that of the classes.
  const float factor =
      config.lr == 0.0F ? rate_factor(start.model.config, report.loss_share) : 1.0F;
  start.model.config.lr *= factor;
  for (std::size_t table = kProjectionTable; table < start.model.tables.size(); ++table) {
    start.state.rate_scales[table] /= factor;
  }
  if (report.class_scale > 0.0F) {
    observer.on_message(
        fmt::format("start from the class means, scaled by {:g}: {:.0f}% of a blind guess's loss "
                    "are left; learning rate {:.4g}",
                    report.class_scale, 100 * report.loss_share, start.model.config.lr));
  }
  if (report.proposal_scale > 0.0F) {
    observer.on_message(
        fmt::format("proposal of rank {} from the principal directions of the "
                    "class means, scaled by {:g}",
                    start.model.config.rank, report.proposal_scale));
  }
  return start;
}

Model finished_model(ModelData model, TrainState& state, BestWeights& best) {
  const bool has_best = !best.weights.empty();
  auto weights =
      std::make_shared<const WeightTables>(std::move(has_best ? best.weights : state.weights));
  model.weights = views_of(*weights);
  model.storage = weights;
  if (has_best) model.routing = best.routing;
  model.epochs_trained = has_best ? best.epoch : state.epoch;
  return Model(std::make_shared<const ModelData>(std::move(model)));
}

TrainResult train_from(const Model* finished, const Dataset& data, const TrainConfig& config,
                       TrainObserver* observer, const Dataset* validation) {
  check_config(config);
  check_data(data, validation);
  TrainObserver silent;
  if (observer == nullptr) observer = &silent;
  ThreadPool pool(config.threads);
  const DatasetView& view = data.data().view;
  const std::uint64_t data_print = data_fingerprint(view, data.data().vocabulary);
  Checkpoint run =
      start_or_resume(finished, data, config, pool, data_print, validation != nullptr, *observer);
  // A checkpoint does not keep this: it says what is returned, not how training goes on.
  run.model.config.keep_best = config.keep_best;
  TrainState& state = run.state;
  const ModelData& model = run.model;
  warn_about_data(data, model, *observer);
  std::optional<RowCopy> window;
  if (wants_windows(view)) window.emplace(view);
  std::optional<TrainingMethod> method;
  std::optional<Trainer> trainer;
  const auto make_trainer = [&] {
    trainer.reset();
    method = make_training_method(model, window ? window->view() : view, state);
    method->parts.window = window ? &*window : nullptr;
    return &trainer.emplace(view, method->parts, model.config, state, pool);
  };

  FitHooks hooks = {observer, {}, {}, {}};
  if (model.config.rebuild_tree > 0) {
    hooks.change_model = [&]() -> Trainer* {
      if (state.epoch % model.config.rebuild_tree != 0) return &*trainer;
      trainer.reset();
      rebuild_tree(run.model, state, run.best, pool);
      return make_trainer();
    };
  }
  if (validation != nullptr) {
    hooks.validate = [&] {
      EvaluateOptions options;
      options.log_loss = Probability::kNone;
      return evaluate(make_predictor(model, views_of(state.weights)), validation->data().view,
                      model.class_counts, search_widths(model, 0), options, pool);
    };
  }
  if (!config.checkpoint_path.empty()) {
    hooks.save_checkpoint = [&](double seconds) {
      write_checkpoint(config.checkpoint_path, model, state, run.best, seconds, data_print);
    };
  }
  const FitOutcome outcome =
      fit(model.config, *make_trainer(), state, run.best, run.seconds, hooks);
  const std::uint32_t epochs = state.epoch;
  return {finished_model(model, state, run.best), epochs, outcome.interrupted,
          outcome.stopped_early};
}

}  // namespace

TrainConfig checkpoint_config(const std::string& path) {
  return read_model(SafetensorsFile(path)).config;
}

bool is_continued_training(const std::string& checkpoint_path) {
  return continues_training(checkpoint_path);
}

TrainResult train(const Dataset& data, const TrainConfig& config, TrainObserver* observer,
                  const Dataset* validation) {
  return train_from(nullptr, data, config, observer, validation);
}

TrainResult continue_training(const Model& model, const Dataset& data, const TrainConfig& config,
                              TrainObserver* observer, const Dataset* validation) {
  return train_from(&model, data, config, observer, validation);
}

}  // namespace cane
