#include "cane/train.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "cane/error.h"
#include "cane/features.h"
#include "cli/cane/data_options.h"
#include "cli/cane/dry_run.h"
#include "cli/cane/train_options.h"
#include "cli/cane/training.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrainClosing =
    "FILE.checkpoint keeps the state after an epoch, at most every --checkpoint-every seconds, "
    "until the\nmodel is saved. Ctrl-C saves it and ends with exit code 130, and FILE stays as it "
    "was; "
    "the same command\nwith --resume continues.\n"
    "Where FILE is finished, --resume trains it further on DATA, whose new labels become "
    "classes.\n\n"
    "Example:\n"
    "  cane train train.svm --model shop.safetensors --valid valid.svm --normalize l2";

// What --resume continues from: a checkpoint or, if there is none, the finished model.
struct Earlier {
  std::optional<Model> model;  // the model that data is read with
  bool is_finished = false;
};

Earlier take_options_of_earlier(Options& options, TrainOptions& train) {
  Earlier earlier;
  if (fs::exists(train.checkpoint_path())) {
    Model interrupted = Model::load(train.checkpoint_path());
    train.config = checkpoint_config(train.checkpoint_path());
    train.data = with_features_of(interrupted, train.data);
    if (is_continued_training(train.checkpoint_path())) earlier.model = std::move(interrupted);
  } else if (fs::exists(train.model_path)) {
    earlier = {Model::load(train.model_path), true};
    if (earlier.model->is_quantized()) {
      throw Error(
          fmt::format("{}: a quantized model cannot be trained further; train the one that it was "
                      "made from, and quantize that",
                      train.model_path));
    }
    train.config = earlier.model->config();
    train.config.lr = 0.0F;  // that of the model, or a larger one for classes that it lacks
    train.data.add_labels = true;
  } else {
    throw Error(
        fmt::format("{}: there is neither a checkpoint nor a model to resume from; train without "
                    "--resume",
                    train.checkpoint_path()));
  }
  options.assign_again();
  return earlier;
}

// Every rank reads a part of the data, and then they exchange the results.
TrainingData read_all(const TrainOptions& train, const Earlier& earlier, const Ranks& ranks) {
  TrainingData data = {
      load_and_report(train.train_path, train.quiet,
                      [&] {
                        const Dataset part =
                            earlier.model
                                ? Dataset::load(train.train_path, *earlier.model, train.data, ranks)
                                : Dataset::load(train.train_path, train.data, ranks);
                        return part.gathered(ranks);
                      }),
  };
  if (earlier.is_finished) data.finished = earlier.model;
  if (!train.valid_path.empty()) {
    DataOptions options = train.data;
    options.add_labels = false;
    options.labels_path = train.valid_labels_path;
    data.valid = load_and_report(train.valid_path, train.quiet, [&] {
      return Dataset::load(train.valid_path, data.train, options, ranks).gathered(ranks);
    });
  }
  return data;
}

}  // namespace

int run_train(const Verb& verb, const Arguments& arguments) {
  TrainOptions train;
  Options options(verb, kTrainClosing);
  add_train_options(options, train);
  if (!options.parse(arguments)) return kExitDone;
  const Ranks& ranks = *verb.ranks;
  if (train.dry_run && !ranks.is_alone()) {
    throw Error(
        "--dry-run is about one process; docs/cluster.md has the formula for several ranks");
  }
  Earlier earlier;
  if (train.config.resume) earlier = take_options_of_earlier(options, train);
  if (earlier.is_finished) train.config.resume = false;
  resolve_normalize(train);
  train.config.checkpoint_path = train.checkpoint_path();
  train.data.threads = train.config.threads;
  if (!train.config.resume && !earlier.model) {
    train.data =
        with_chosen_features(train.train_path, train.data, train.config, train.quiet, ranks);
  }
  if (train.dry_run) {
    train.data.write_cache = false;
    const TrainingData data = read_all(train, earlier, ranks);
    return dry_run(data.train, data.valid ? &*data.valid : nullptr, train.config);
  }

  JsonLines log(ranks.is_first() ? train.log_path : "", train.config.resume);
  return run_logged(log, [&] {
    return train_and_save(train, options, arguments, read_all(train, earlier, ranks), log, ranks);
  });
}

}  // namespace cane::cli
