#include "cane/train.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <vector>

#include "cane/error.h"
#include "cane/version.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "core/parallel/shared_options.h"
#include "data/loaded_data.h"
#include "data/subset.h"
#include "engine/describe_model.h"
#include "engine/device_training.h"
#include "engine/training.h"
#include "methods/check_config.h"
#include "methods/config_facts.h"
#include "methods/parallel.h"
#include "model/model_file.h"
#include "train/checkpoint/checkpoint.h"
#include "train/parallel/weight_exchange.h"
#include "tune/pilot.h"

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

Dataset weighted(const Dataset& data, const TrainConfig& config) {
  if (config.class_weight != ClassWeight::kBalanced) return data;
  return Dataset(std::make_shared<const LoadedData>(balance_classes(data.data())));
}

// A training that can begin, unless the observer gives up before.
std::unique_ptr<Training> prepared(const Model* finished, const Dataset& data,
                                   const Dataset* validation, const TrainConfig& config,
                                   const Context& context, StartSource* source) {
  const InterruptionScope scope([observer = context.observer] {
    return observer != nullptr && observer->give_up_requested();
  });
  return std::make_unique<Training>(finished, data, validation, config, context, source);
}

// A rank that gave up a pilot before the others would go on with other options: ranks stop at their
// first batch instead.
class PilotObserver : public TrainObserver {
 public:
  PilotObserver(TrainObserver& observer, const Communicator& ranks)
      : observer_(observer), ranks_(ranks) {}

  void on_message(const std::string& text) override { observer_.on_message(text); }
  void on_progress(const TrainProgress& progress) override { observer_.on_progress(progress); }
  void on_epoch(const EpochReport& report) override { observer_.on_epoch(report); }
  bool stop_requested() override { return ranks_.is_alone() && observer_.stop_requested(); }
  bool give_up_requested() override { return observer_.give_up_requested(); }

 private:
  TrainObserver& observer_;
  const Communicator& ranks_;
};

// Whether each of the ranks of this machine can have the weights of all classes: their rows, and
// once more as the others know them; a selector, an optimiser and the data need memory, too, so
// that no more than half may be taken.
bool do_all_classes_fit(const TrainConfig& config, const Dataset& data, int ranks_here) {
  const std::uint64_t floats =
      data.classes() *
      (std::uint64_t{encoded_dimension(config, static_cast<FeatureId>(data.dimension()))} + 1);
  const std::uint64_t needed = floats * sizeof(float) + WeightExchange::bytes_for(floats);
  const std::uint64_t free = available_memory();
  return free == 0 || 2 * needed * static_cast<std::uint64_t>(ranks_here) <= free;
}

/// Ranks compute trees, start weights and updates each for itself, and rely on getting the same
/// bits. Throws Error if their processors do not have the same instructions. All ranks call it.
void check_processors(Communicator& ranks) {
  const std::vector<Bytes> all = ranks.all_gather(bytes_of_text(instruction_set()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    throw Error(
        fmt::format("ranks train together on equal processors only: rank {} computes with {}, and "
                    "rank 0 with {}; start them on machines of one kind",
                    rank, text_of(all[rank]), text_of(all.front())));
  }
}

/// Whether the classes are shared out, and not the examples: if the options say so or, where they
/// leave it open, if the checkpoint that is resumed was written so, or the weights of all classes
/// do not fit some machine with all of its ranks. All ranks call it with the same arguments.
bool shares_classes(const TrainConfig& config, const Dataset& data, bool is_further,
                    Communicator& ranks) {
  if (config.parallel == ParallelKind::kClasses && is_further) {
    throw OptionError("parallel", "a finished model is not trained further by classes",
                      "use `parallel data`");
  }
  if (config.parallel != ParallelKind::kAuto) return config.parallel == ParallelKind::kClasses;
  if (is_further) return false;
  if (config.resume) return checkpoint_shards(config.checkpoint_path) > 0;
  if (ranks.is_alone()) return false;
  const bool fits = do_all_classes_fit(config, data, ranks.ranks_of_machine());
  return ranks.any(!fits) &&
         can_share_classes(config,
                           facts_of(data.data().view, static_cast<std::uint32_t>(data.classes())));
}

TrainResult train_from(const Model* finished, const Dataset& given, const TrainConfig& config,
                       const Context& context, const Dataset* validation) {
  check_config(config);
  check_data(given, validation);
  const bool is_new = finished == nullptr && !config.resume;
  check_device(config, given.data().view, static_cast<std::uint32_t>(given.classes()), is_new);
  const Dataset data = weighted(given, config);
  Communicator& ranks = context.ranks.communicator();
  check_processors(ranks);
  if (shares_classes(config, data, finished != nullptr, ranks)) {
    return train_by_classes(data, validation, config, context);
  }
  if (!is_new) return prepared(finished, data, validation, config, context, nullptr)->run();
  TrainObserver silent;
  PilotObserver piloted(context.observer != nullptr ? *context.observer : silent, ranks);
  PilotResult picked = run_pilot(data, config, piloted);
  take_options_of_first(picked.config, ranks);
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  picked.config.batch = batch_of_ranks(picked.config, facts, ranks.ranks());
  const auto training =
      prepared(nullptr, data, validation, picked.config, context, picked.source.get());
  picked.source.reset();  // its memory is needed for the epochs
  return training->run();
}

}  // namespace

TrainConfig checkpoint_config(const std::string& path) {
  return read_model(SafetensorsFile(path)).config;
}

bool is_continued_training(const std::string& checkpoint_path) {
  return continues_training(checkpoint_path);
}

TrainResult train(const Dataset& data, const TrainConfig& config, const Context& context,
                  const Dataset* validation) {
  return train_from(nullptr, data, config, context, validation);
}

TrainResult continue_training(const Model& model, const Dataset& data, const TrainConfig& config,
                              const Context& context, const Dataset* validation) {
  return train_from(&model, data, config, context, validation);
}

}  // namespace cane
