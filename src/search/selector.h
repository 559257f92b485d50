// Finds, for every example of a batch, the classes that compete with its label, without seeing the
// label. Const and thread-safe; what a thread scribbles on is its workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "linear/scorers/class_scorer.h"
#include "search/selection.h"

namespace cane {

class Proposal;

/// The examples of a batch by number, and random numbers for selectors that draw their candidates:
/// those of an example's number, in an epoch.
struct SelectionDraws {
  CounterRandom random;
  std::span<const std::uint32_t> numbers;
};

class Selector {
 public:
  struct Workspace {
    virtual ~Workspace() = default;
    ClassScorer::Workspace scoring;
  };

  explicit Selector(const ClassScorer& scorer) : scorer_(&scorer) {}
  virtual ~Selector() = default;

  virtual std::unique_ptr<Workspace> make_workspace() const {
    return std::make_unique<Workspace>();
  }

  /// For every row the best min(keep, K) of the `width` >= keep classes it looked at closely, best
  /// first, with the scores of the model. Some selectors find fewer.
  virtual void select(std::span<const RowView> rows, const SelectionDraws& draws,
                      std::uint32_t width, std::uint32_t keep, Workspace& workspace,
                      Selection& selection) const = 0;

  /// Scores of further classes for the rows selected last; returns the rows of weights it took.
  virtual std::uint64_t score(std::span<const RowView> rows, const ClassLists& lists,
                              Workspace& workspace, float* scores) const {
    return scorer_->score(rows, lists, workspace.scoring, scores);
  }

  /// The cheap model that looked at the rows selected last, with its workspace; null where none
  /// did. It can draw noises for them, and learn from them.
  struct Taught {
    const Proposal* proposal;
    Workspace* workspace;
  };
  virtual Taught taught(Workspace& /*workspace*/) const { return {nullptr, nullptr}; }

  /// Some selectors keep a copy of the weights. The trainer calls this now and then, never while
  /// another thread selects; without a pool the result is the same on any machine.
  virtual bool needs_refresh() const { return false; }
  virtual void refresh(ThreadPool* /*pool*/) {}

  const ClassScorer& scorer() const { return *scorer_; }

 private:
  const ClassScorer* scorer_;
};

}  // namespace cane
