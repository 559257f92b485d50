// Finds, for every example of a batch, the classes that compete with its label, without seeing the
// label. A selector is shared by all threads and read-only; the mutable state of a thread is in the
// worker that the selector makes for it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "core/noise/uniform_noise.h"
#include "linear/scorers/class_scorer.h"
#include "search/selection.h"

namespace cane {

/// The numbers of the examples of a batch, and random numbers for selectors that sample candidates;
/// the draws are a function of epoch and example number.
struct SelectionDraws {
  CounterRandom random;
  std::span<const std::uint32_t> numbers;
};

class Selector {
 public:
  /// The per-thread state of a selector.
  class Worker {
   public:
    explicit Worker(const ClassScorer& scorer) : scorer_(&scorer), uniform_(scorer.classes()) {}
    virtual ~Worker() = default;

    /// Finds for every row the best min(keep, K) classes of a search of `width` >= keep, best
    /// first, with the scores of the model. Some selectors find fewer.
    virtual void select(std::span<const RowView> rows, const SelectionDraws& draws,
                        std::uint32_t width, std::uint32_t keep, Selection& selection) = 0;
    /// Called instead of select if the candidates of this batch were found without this worker.
    virtual void skip_batch() {}

    /// Scores more classes for the last selected rows; returns the number of weight rows read.
    virtual std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                                float* scores) {
      return scorer_->score(rows, lists, scratch_, scores);
    }

    /// The law that knows most about where the mass outside the candidates of the last selected
    /// rows lies, for estimates of it.
    virtual NoiseSource& noise() { return uniform_; }

    const ClassScorer& scorer() const { return *scorer_; }
    ScoringScratch& scratch() { return scratch_; }

   private:
    const ClassScorer* scorer_;
    UniformNoise uniform_;
    ScoringScratch scratch_;
  };

  virtual ~Selector() = default;

  /// The selector must outlive its workers.
  virtual std::unique_ptr<Worker> make_worker() const = 0;

  /// Updates the copy of the weights that some selectors keep. The trainer calls this periodically,
  /// never while another thread selects; without a pool the result is the same on any machine.
  virtual bool needs_refresh() const { return false; }
  virtual void refresh(ThreadPool* /*pool*/) {}
};

}  // namespace cane
