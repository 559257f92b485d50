#include "cane/train.h"

#include <limits>
#include <memory>

#include "cane/error.h"
#include "core/base/interruption.h"
#include "data/loaded_data.h"
#include "data/rows/class_balance.h"
#include "engine/training.h"
#include "methods/check_config.h"
#include "model/model_file.h"
#include "train/checkpoint.h"
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
  return config.class_weight == ClassWeight::kBalanced ? balance_classes(data) : data;
}

// A training that can begin, unless the observer gives up before.
std::unique_ptr<Training> prepared(const Model* finished, const Dataset& data,
                                   const Dataset* validation, const TrainConfig& config,
                                   TrainObserver& observer, StartSource* source) {
  const InterruptionScope scope([&observer] { return observer.give_up_requested(); });
  return std::make_unique<Training>(finished, data, validation, config, observer, source);
}

TrainResult train_from(const Model* finished, const Dataset& given, const TrainConfig& config,
                       TrainObserver* observer, const Dataset* validation) {
  check_config(config);
  check_data(given, validation);
  const Dataset data = weighted(given, config);
  TrainObserver silent;
  TrainObserver& reported = observer != nullptr ? *observer : silent;
  if (finished != nullptr || config.resume) {
    return prepared(finished, data, validation, config, reported, nullptr)->run();
  }
  PilotResult picked = run_pilot(data, config, reported);
  const auto training =
      prepared(nullptr, data, validation, picked.config, reported, picked.source.get());
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

TrainResult train(const Dataset& data, const TrainConfig& config, TrainObserver* observer,
                  const Dataset* validation) {
  return train_from(nullptr, data, config, observer, validation);
}

TrainResult continue_training(const Model& model, const Dataset& data, const TrainConfig& config,
                              TrainObserver* observer, const Dataset* validation) {
  return train_from(&model, data, config, observer, validation);
}

}  // namespace cane
