// A training on a device over small data and a learner that records.
#pragma once

#include <memory>

#include "support/recording_learner.h"
#include "support/training.h"
#include "train/device/device_executor.h"
#include "train/device/learner_spec.h"

namespace cane::testing {

struct DeviceTraining {
  DeviceTraining(const DatasetView& data, TrainConfig asked, Feed feed, RowCopy* window = nullptr,
                 std::uint32_t classes = 20)
      : view(data), model(on_device(view, asked, classes)), state(small_state(model)), pool(2) {
    fill(state);
    const SpecOfModel spec(model, view);
    trainer = std::make_unique<Trainer>(
        model, view, window, state, pool,
        std::make_unique<DeviceExecutor>(
            model, window != nullptr ? window->view() : view, feed, state, pool,
            std::make_unique<RecordingLearner>(spec.spec(feed == Feed::kKept, state), record),
            "device cuda"));
  }

  static ModelData on_device(const DatasetView& view, TrainConfig& asked, std::uint32_t classes) {
    asked.device = "cuda";
    return small_model(view, asked, classes);
  }
  // Every weight and sum another number, so that what is mixed up is seen. The padding stays zero.
  static void fill(TrainState& filled) {
    float next = 1.0F;
    for (auto& optimizer : filled.optimizers) {
      for (float& sum : optimizer->state()) sum = next++;
    }
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
