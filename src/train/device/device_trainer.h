// Trains the epochs on a device: feeds the batches of the processor's order to a learner, whose
// weights come back into the state when somebody wants to read them. Steps are queued; the sums of
// the epoch follow after a number of batches, so that the device never waits for the host.
#pragma once

#include <memory>
#include <string>

#include "core/base/thread_pool.h"
#include "device/learner.h"
#include "model/model_data.h"
#include "train/epoch_trainer.h"

namespace cane {

/// How a learner gets its rows.
enum class Feed { kKept, kStreamed };

class DeviceTrainer : public EpochTrainer {
 public:
  /// `option`: the device as messages name it. The learner, which was made for this model and data,
  /// takes the weights of the state, and the data if it keeps it. `window` may be null. All
  /// arguments must outlive the trainer.
  DeviceTrainer(const ModelData& model, const DatasetView& data, RowCopy* window, Feed feed,
                TrainState& state, ThreadPool& pool, std::unique_ptr<device::Learner> learner,
                std::string option);

  bool run_epoch(const std::function<bool()>& go_on) override;
  void fetch_weights() override;

 private:
  void queue_batch();
  void take_sums();

  const ModelData& model_;
  const DatasetView& rows_;  // the data, or the window of it
  Feed feed_;
  ThreadPool& pool_;
  std::unique_ptr<device::Learner> learner_;
  std::string option_;
  std::size_t stretch_end_ = 0;  // of the order, while rows are streamed
  bool is_fetched_ = true;
};

}  // namespace cane
