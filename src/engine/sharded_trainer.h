// What drives the epochs of a training whose classes are shared out: the loop, and the parts that
// it uses.
#pragma once

#include <memory>
#include <optional>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "data/rows/row_copy.h"
#include "linear/encoders/encoder.h"
#include "train/classes/class_trainer.h"
#include "train/classes/sharded_file.h"

namespace cane {

class ShardedTrainer {
 public:
  /// All arguments must outlive the object; the weights of the state must not move.
  ShardedTrainer(const DatasetView& data, ShardedCheckpoint& run, ThreadPool& pool,
                 Communicator& ranks);
  ShardedTrainer(const ShardedTrainer&) = delete;
  ShardedTrainer& operator=(const ShardedTrainer&) = delete;

  ClassTrainer& trainer() { return *trainer_; }
  const ClassTrainer& trainer() const { return *trainer_; }
  /// Null: features are used unchanged.
  const Encoder* encoder() const { return encoder_.get(); }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::optional<RowCopy> window_;  // nearby rows, if the data is not all in memory
  std::optional<ClassTrainer> trainer_;
};

}  // namespace cane
