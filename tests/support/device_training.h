// A training on a device over small data and a learner that records.
#pragma once

#include <memory>

#include "engine/parts.h"
#include "support/recording_learner.h"
#include "support/training.h"
#include "train/device/device_executor.h"
#include "train/device/learner_spec.h"

namespace cane::testing {

struct DeviceTraining {
  DeviceTraining(const DatasetView& data, TrainConfig asked, bool keeps_data,
                 RowCopy* window = nullptr, std::uint32_t classes = 20)
      : view(data), model(on_device(view, asked, classes)), state(small_state(model)), pool(2) {
    const ListMaker::Rules rules = make_list_rules(model);
    auto lists =
        std::make_unique<ListFeed>(make_slot_law(model, rules), rules, classes, model.config.seed);
    device::LearnerSpec spec = learner_spec(model, view, lists->most_columns(model.config.batch));
    if (keeps_data) spec = keeping(spec, view);
    trainer = std::make_unique<Trainer>(
        model, view, window, state, pool,
        std::make_unique<DeviceExecutor>(
            model, window != nullptr ? window->view() : view,
            DeviceExecutor::Parts{spec, std::make_unique<RecordingLearner>(spec, record),
                                  std::move(lists), "device cuda"},
            state, pool));
  }

  static ModelData on_device(const DatasetView& view, TrainConfig& asked, std::uint32_t classes) {
    asked.device = "cuda";
    return small_model(view, asked, classes);
  }

  bool run_epoch() {
    return trainer->run_epoch([] { return true; });
  }

  DatasetView view;
  ModelData model;
  TrainState state;
  ThreadPool pool;
  LearnerRecord record;
  std::unique_ptr<Trainer> trainer;
};

}  // namespace cane::testing
