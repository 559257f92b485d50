// Makes the shortlists of a batch on all ranks: each searches its own shards, they send each other
// what they found, and each merges the same shortlists. A batch is worked on in slices of a few
// examples, so that all threads have something to do; results depend neither on the number of
// threads nor on that of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "search/proposal.h"
#include "train/classes/merged_slice.h"
#include "train/classes/shard_slice.h"
#include "train/classes/shard_tables.h"

namespace cane {

struct SearchRules {
  MergeRules merge;
  std::uint32_t width = 0;  // classes that are scored in full, by all shards together
  std::uint32_t rank = 0;   // of the projection
};

class ShardedSearch {
 public:
  static constexpr std::size_t kSliceExamples = 8;

  /// All arguments but the rules must outlive the object; the weights of the state must not move.
  ShardedSearch(const ShardTables& tables, TrainState& state, const SearchRules& rules,
                ThreadPool& pool, Communicator& ranks);

  /// Gives the rows of a slice as the classes see them, valid until the next batch. Threads call it
  /// for different slices at once.
  using RowsOfSlice =
      std::function<std::span<const RowView>(std::size_t slice, std::span<const std::uint32_t>)>;

  /// Makes the shortlists of these examples; those without a label have candidates only. `random`
  /// is the generator of the epoch. All ranks call it with the same examples. Returns whether any
  /// of them wants to stop after this batch.
  bool run(std::span<const std::uint32_t> examples, std::span<const ClassId> labels,
           const RowsOfSlice& rows_of, const CounterRandom& random, bool wants_stop);

  std::size_t slices() const { return slices_in_use_; }
  struct Slice {
    std::size_t first = 0;  // of its examples, in the batch
    std::span<const std::uint32_t> examples;
    std::span<const ClassId> labels;
    std::span<const RowView> rows;
    std::span<const RowView> projected;
    std::unique_ptr<MergedSlice> merged;
    std::vector<ShardSlice> shards;  // of this rank
    ProjectedRows inputs;
    std::vector<std::vector<ListedClass>> answers;  // of each shard of this rank
  };
  Slice& slice(std::size_t index) { return slices_[index]; }

  /// Calls body(slice, own shard) for all of them, on all threads.
  void for_each_shard(const std::function<void(Slice&, std::uint32_t)>& body);
  /// The same for whole slices.
  void for_each_slice(const std::function<void(Slice&, std::size_t)>& body);

 private:
  void cut(std::span<const std::uint32_t> examples, std::span<const ClassId> labels);
  bool share_findings(bool wants_stop);
  void ask_for_noises();

  const ShardTables& tables_;
  TrainState& state_;
  SearchRules rules_;
  ShardWidths widths_;
  ThreadPool& pool_;
  Communicator& ranks_;
  std::vector<Slice> slices_;
  std::size_t slices_in_use_ = 0;
  std::size_t examples_ = 0;
  ShardReports reports_;
  std::vector<ShardHead> heads_;
  std::vector<ListedClass> listed_;
};

}  // namespace cane
