// Makes the lists of batches for a learner on a device: the same lists as a team of threads makes
// on the processor (step/team_member.h), from the same draws.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/grouping.h"
#include "core/base/thread_pool.h"
#include "data/rows/dataset_view.h"
#include "device/learner.h"
#include "step/batch_list.h"
#include "step/step_worker.h"

namespace cane {

class ListFeed {
 public:
  ListFeed(SlotLaw law, const ListMaker::Rules& rules, std::uint32_t classes, std::uint64_t seed);
  ListFeed(const ListFeed&) = delete;
  ListFeed& operator=(const ListFeed&) = delete;

  /// Most classes that a batch lists, as device::LearnerSpec has it.
  std::uint32_t most_columns(std::size_t batch) const;

  struct Batch {
    std::uint32_t epoch;
    std::uint64_t number;
    std::span<const std::uint32_t> examples;
  };
  /// Fills the buffer but for its rows, and the counts of the options. Returns what is known of the
  /// batch: all but its loss.
  StepStats fill(const DatasetView& data, const Batch& batch, const device::BatchBuffer& buffer,
                 device::StepOptions& options, ThreadPool& pool);

 private:
  void make(const DatasetView& data, const Batch& batch, ThreadPool& pool);

  SlotLaw law_;
  ListMaker maker_;
  std::uint32_t classes_;
  std::uint64_t seed_;
  std::vector<ClassId> labels_;
  std::vector<ClassId> drawn_;
  BatchList list_;
  Grouping entries_;  // of the list, by class
};

}  // namespace cane
