// Computes batches on a device: feeds the batches of the processor's order, and their lists, to a
// learner, whose weights come back into the state when these are read. Steps are queued; their
// losses follow after a number of batches, so that the device never waits for the host.
#pragma once

#include <memory>
#include <string>

#include "core/base/thread_pool.h"
#include "device/learner.h"
#include "model/model_data.h"
#include "train/device/list_feed.h"
#include "train/trainer.h"

namespace cane {

class DeviceExecutor final : public Executor {
 public:
  struct Parts {
    device::LearnerSpec spec;
    std::unique_ptr<device::Learner> learner;  // made for that spec
    std::unique_ptr<ListFeed> lists;
    std::string option;  // the device as messages name it
  };
  /// The learner takes the weights of the state, and the data if it keeps it. `rows`: the data, or
  /// the window of it. All other arguments must outlive the object.
  DeviceExecutor(const ModelData& model, const DatasetView& rows, Parts parts, TrainState& state,
                 ThreadPool& pool);

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;
  void end_epoch(Trainer& trainer) override;
  void fetch_weights() override;

 private:
  void queue_batch(Trainer& trainer);
  template <typename Move>
  void move_tables(const Move& move);

  const ModelData& model_;
  const DatasetView& rows_;
  Parts parts_;
  TrainState& state_;
  ThreadPool& pool_;
  StepStats queued_;  // of the steps whose losses are not known yet
  bool is_fetched_ = true;
};

}  // namespace cane
