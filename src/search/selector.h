// Finds, for every example of a batch, the classes that compete with its label, without seeing the
// label. A selector is what all threads share and read; whatever changes while a thread selects is
// in the worker that the selector makes for it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "linear/scorers/class_scorer.h"
#include "search/selection.h"

namespace cane {

/// The examples of a batch by number, and random numbers for selectors that draw their candidates:
/// those of an example's number, in an epoch.
struct SelectionDraws {
  CounterRandom random;
  std::span<const std::uint32_t> numbers;
};

class Selector {
 public:
  /// One thread's part of a selector.
  class Worker {
   public:
    explicit Worker(const ClassScorer& scorer) : scorer_(&scorer) {}
    virtual ~Worker() = default;

    /// For every row the best min(keep, K) of the `width` >= keep classes it looked at closely,
    /// best first, with the scores of the model. Some selectors find fewer.
    virtual void select(std::span<const RowView> rows, const SelectionDraws& draws,
                        std::uint32_t width, std::uint32_t keep, Selection& selection) = 0;
    /// Instead of select: candidates of this batch were found without this worker.
    virtual void skip_batch() {}

    /// Scores of more classes for the rows selected last; returns the rows of weights it took.
    virtual std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                                float* scores) {
      return scorer_->score(rows, lists, scratch_, scores);
    }

    const ClassScorer& scorer() const { return *scorer_; }
    ScoringScratch& scratch() { return scratch_; }

   private:
    const ClassScorer* scorer_;
    ScoringScratch scratch_;
  };

  virtual ~Selector() = default;

  /// The selector must outlive its workers.
  virtual std::unique_ptr<Worker> make_worker() const = 0;

  /// Some selectors keep a copy of the weights. The trainer calls this now and then, never while
  /// another thread selects; without a pool the result is the same on any machine.
  virtual bool needs_refresh() const { return false; }
  virtual void refresh(ThreadPool* /*pool*/) {}
};

}  // namespace cane
