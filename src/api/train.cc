#include "cane/train.h"

#include <fmt/format.h>

#include <chrono>
#include <limits>

#include "api/check_config.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "cane/error.h"
#include "cane/tree.h"
#include "data/loaded_data.h"
#include "learn/automatic_rate.h"
#include "learn/checkpoint.h"
#include "learn/fit.h"
#include "learn/trainer.h"
#include "methods/choose.h"
#include "model/config_json.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "predict/evaluate.h"

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

std::vector<std::uint64_t> count_examples(const Dataset& data) {
  const DatasetView& view = data.data().view;
  std::vector<std::uint64_t> counts(data.data().vocabulary.labels.size(), 0);
  for (std::size_t example = 0; example < view.size(); ++example) {
    if (view.label(example) == kUnknownClass) {
      throw Error(
          fmt::format("example {} of the training data has no label that is known; read the data "
                      "with Dataset::load(path), and with require_labels",
                      example + 1));
    }
    ++counts[view.label(example)];
  }
  return counts;
}

// Everything but the weights.
ModelData describe(const Dataset& data, const TrainConfig& asked, ThreadPool& pool,
                   TrainObserver& observer) {
  ModelData model;
  model.vocabulary = data.data().vocabulary;
  Choice choice =
      choose(asked, facts_of(data.data().view, static_cast<std::uint32_t>(data.classes())));
  for (const std::string& reason : choice.reasons) observer.on_message(reason);
  const TrainConfig& config = model.config = choice.config;
  model.training_examples = data.size();
  model.class_counts = count_examples(data);
  if (config.lr == 0.0F) {
    model.config.lr = automatic_rate(data.data().view, config.optimizer);
    observer.on_message(fmt::format("learning rate {:.4g}, to fit the features", model.config.lr));
  }
  const auto begin = std::chrono::steady_clock::now();
  model.tree = Tree::build(config.tree, data, config.arity, config.seed, pool.threads()).data();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  model.layout = BlockLayout(model.tree, model.vocabulary.dimension);
  observer.on_message(fmt::format("tree {}: {} classes, arity {}, depth {}, {:.1f} s", config.tree,
                                  model.tree.class_count(), model.tree.arity(), model.tree.depth(),
                                  seconds.count()));
  return model;
}

void check_memory(const BlockLayout& layout, const TrainConfig& config) {
  const std::uint64_t needed =
      layout.size() * sizeof(float) + optimizer_bytes(config.optimizer, layout);
  const std::uint64_t available = available_memory();
  if (available == 0 || needed <= available) return;
  throw Error(
      fmt::format("training needs {} for weights and optimiser, and {} are free; use fewer "
                  "features (--min-count, --hash-bits) or --optimizer sgd",
                  bytes_as_text(needed), bytes_as_text(available)));
}

Checkpoint start_or_resume(const Dataset& data, const TrainConfig& config, ThreadPool& pool,
                           std::uint64_t data_print, TrainObserver& observer) {
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
  Checkpoint start;
  start.model = describe(data, config, pool, observer);
  check_memory(start.model.layout, start.model.config);
  start.state = make_train_state(start.model.layout, start.model.config);
  if (config.start == Start::kMeans) {
    const float scale = start_from_means(data.data().view, start.model.tree, start.model.layout,
                                         start.model.config, start.state, pool);
    observer.on_message(fmt::format("start from the class means, scaled by {:g}", scale));
  }
  return start;
}

Model finished_model(ModelData model, TrainState& state, BestWeights& best) {
  const bool has_best = best.weights.size() > 0;
  auto weights =
      std::make_shared<AlignedBuffer<float>>(std::move(has_best ? best.weights : state.weights));
  model.weights = weights->span();
  model.storage = weights;
  model.epochs_trained = has_best ? best.epoch : state.epoch;
  return Model(std::make_shared<const ModelData>(std::move(model)));
}

}  // namespace

TrainConfig checkpoint_config(const std::string& path) {
  return read_model(SafetensorsFile(path)).config;
}

TrainResult train(const Dataset& data, const TrainConfig& config, TrainObserver* observer,
                  const Dataset* validation) {
  check_config(config);
  check_data(data, validation);
  TrainObserver silent;
  if (observer == nullptr) observer = &silent;
  ThreadPool pool(config.threads);
  const DatasetView& view = data.data().view;
  const std::uint64_t data_print = data_fingerprint(view, data.data().vocabulary);
  Checkpoint run = start_or_resume(data, config, pool, data_print, *observer);
  // A checkpoint does not keep this: it says what is returned, not how training goes on.
  run.model.config.keep_best = config.keep_best;
  TrainState& state = run.state;
  const ModelData& model = run.model;
  Trainer trainer(view, model.tree, model.layout, model.config, state, pool);

  FitHooks hooks = {observer, {}, {}};
  if (validation != nullptr) {
    hooks.validate = [&] {
      EvaluateOptions options;
      options.log_loss = Probability::kNone;
      return evaluate(BatchPredictor(model.tree, model.layout, state.weights.data()),
                      validation->data().view, model.class_counts, model.config.candidates, options,
                      pool);
    };
  }
  if (!config.checkpoint_path.empty()) {
    hooks.save_checkpoint = [&](double seconds) {
      write_checkpoint(config.checkpoint_path, model, state, run.best, seconds, data_print);
    };
  }
  const FitOutcome outcome = fit(model.config, trainer, state, run.best, run.seconds, hooks);
  const std::uint32_t epochs = state.epoch;
  return {finished_model(model, state, run.best), epochs, outcome.interrupted,
          outcome.stopped_early};
}

}  // namespace cane
