// Computes batches on a device: feeds the batches of the processor's order to a learner, whose
// weights come back into the state when these are read. Steps are queued; the sums of
// the epoch follow after a number of batches, so that the device never waits for the host.
#pragma once

#include <memory>
#include <string>

#include "core/base/thread_pool.h"
#include "device/learner.h"
#include "model/model_data.h"
#include "train/trainer.h"

namespace cane {

/// How a learner gets its rows.
enum class Feed { kKept, kStreamed };

class DeviceExecutor final : public Executor {
 public:
  /// `option`: the device as messages name it. The learner, which was made for this model and data,
  /// takes the weights of the state, and the data if it keeps it. `rows`: the data, or the window
  /// of it. All arguments must outlive the object.
  DeviceExecutor(const ModelData& model, const DatasetView& rows, Feed feed, TrainState& state,
                 ThreadPool& pool, std::unique_ptr<device::Learner> learner, std::string option);

  bool run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) override;
  void end_epoch(Trainer& trainer) override;
  void fetch_weights() override;

 private:
  void queue_batch(Trainer& trainer);

  const ModelData& model_;
  const DatasetView& rows_;
  Feed feed_;
  TrainState& state_;
  ThreadPool& pool_;
  std::unique_ptr<device::Learner> learner_;
  std::string option_;
  bool is_fetched_ = true;
};

}  // namespace cane
