// Trains the full softmax over contiguous rows on several threads. Each thread owns some of the
// classes: it scores them by a matrix product, and adds the gradient to them by another, so their
// weights stay in its cache. What the threads exchange for a batch is a maximum and two
// sums for each example, and they wait for each other once.
//
// The classes are cut into shares that do not depend on the number of threads, and the sums of the
// shares are joined in order, so the bits do not depend on it either.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/thread_pool.h"
#include "core/simd/softmax_columns.h"
#include "data/rows/dataset_view.h"
#include "linear/weights/block_layout.h"
#include "train/steps/step_worker.h"

namespace cane {

class SoftmaxTeam {
 public:
  struct Rules {
    float clip = 0.0F;  // largest norm of an example's gradient; 0: no clipping
    float l2 = 0.0F;    // weight decay for an example
  };
  /// What a run asks its caller. The first two are called by all threads.
  struct Calls {
    std::function<std::span<const std::uint32_t>(std::uint64_t)> batch;  // its examples
    std::function<float(std::uint64_t)> rate;
    /// Called by the calling thread for each batch; after false, that batch is the last.
    std::function<bool()> go_on;
    /// Called by the calling thread after each batch, in order.
    std::function<void(const StepStats&)> learned;
  };

  /// `weights` has one row for each class. All arguments must outlive the object. A batch has at
  /// most `batch` examples.
  SoftmaxTeam(const DatasetView& data, const BlockLayout& layout, const Rules& rules,
              std::size_t batch, float* weights);

  /// Learns the batches from `first` to `end` in order. Throws what `learned` throws.
  void run(std::uint64_t first, std::uint64_t end, const Calls& calls, ThreadPool& pool);

 private:
  /// Two batches are in work at once, as a thread may be one barrier ahead of another one.
  static constexpr std::size_t kSlots = 2;
  /// One more is being read.
  static constexpr std::size_t kInputs = 3;

  class Member;
  struct Slot {
    std::vector<ColumnSums> shares;  // point into `sums`
    AlignedBuffer<float> sums;
    AlignedBuffer<float> label_scores;
    bool is_last = false;
  };

  Matrix inputs(std::uint64_t batch) { return {inputs_[batch % kInputs].data(), layout_.pitch()}; }
  Slot& slot(std::uint64_t batch) { return slots_[batch % kSlots]; }
  void fail();

  const DatasetView& data_;
  const BlockLayout& layout_;
  Rules rules_;
  std::size_t columns_;  // examples of a batch, rounded up
  float* weights_;
  AlignedBuffer<float> inputs_[kInputs];
  Slot slots_[kSlots];
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

}  // namespace cane
