// Trains classes that a batch lists together (batch_list.h), on several threads: all of them for
// the softmax, or shared columns and slots of noises. Rows of classes are dense, and so are
// examples, or what an encoder makes of them.
//
// The columns of the list are cut into shares that do not depend on the number of threads. A thread
// takes some of them: it gathers their rows, scores them by a matrix product, and adds the gradient
// by another; the gradient in the output of an encoder is a third one, over examples. What the
// threads tell each other about the scores of a batch is a maximum and two sums for each example
// and share, joined in order. Everything else is summed by row in the order of the examples, and
// every weight has one thread that changes it, so the bits do not depend on the number of threads.
// Where all classes are listed, a thread keeps its own in its cache, and they wait for each other
// once.
//
// Ranks can share the classes (class_shards.h): each makes the same list of the same batch, and
// scores, differentiates and changes the columns of its own classes. They exchange the maximum and
// the sums for each example and shard, and the gradient in the output of an encoder, which is added
// up over the shards; each has the encoder, and changes it alike. So the bits do not depend on the
// number of ranks either.
//
// The row of a class takes the gradient of the whole batch in one step, the weights of an encoder
// that of one example after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/thread_pool.h"
#include "step/step_worker.h"
#include "step/team_memory.h"

namespace cane {

class StepTeam {
 public:
  /// What a run asks its caller. The first two are called by all threads.
  struct Calls {
    std::function<std::span<const std::uint32_t>(std::uint64_t)> batch;  // its examples
    std::function<float(std::uint64_t)> rate;
    /// Called by the calling thread for each batch; after false, that batch is the last.
    std::function<bool()> go_on;
    /// Called by the calling thread after each batch, in order.
    std::function<void(const StepStats&)> learned;
  };

  /// Everything that `parts` refers to must outlive the object. A batch has at most `batch`
  /// examples.
  StepTeam(const TeamParts& parts, std::size_t batch) : parts_(parts), memory_(parts_, batch) {}

  /// Learns the batches from `first` to `end` of an epoch, in order. Returns false if `go_on` has
  /// ended it, on any rank. Throws what `learned` throws.
  bool run(std::uint32_t epoch, std::uint64_t first, std::uint64_t end, const Calls& calls,
           ThreadPool& pool);

 private:
  const TeamParts parts_;
  TeamMemory memory_;
};

}  // namespace cane
