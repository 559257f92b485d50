// Finds, for every example of a batch, the classes that compete with its label, without seeing the
// label. A selector is shared by all threads and read-only; the mutable state of a thread is in the
// worker that the selector makes for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "core/base/types.h"
#include "core/noise/uniform_noise.h"
#include "linear/scorers/class_scorer.h"

namespace cane {

/// The result of a selector for a batch: for every example, distinct candidate classes, best first,
/// with their scores.
struct Candidate {
  ClassId class_id;
  float score;
};

/// NaN is worse than any other score; on a tie the lower class is better.
inline bool is_better(const Candidate& a, const Candidate& b) {
  if (a.score > b.score) return true;
  if (a.score < b.score) return false;
  if (std::isnan(a.score) != std::isnan(b.score)) return std::isnan(b.score);
  return a.class_id < b.class_id;
}

struct Selection {
  std::vector<Candidate> candidates;
  std::vector<std::size_t> offsets;  // first candidate of each example, and the end
  std::uint64_t rows_scored = 0;     // in this batch

  void clear() {
    candidates.clear();
    offsets.assign(1, 0);
    rows_scored = 0;
  }
  std::span<const Candidate> of(std::size_t example) const {
    return std::span(candidates).subspan(offsets[example], offsets[example + 1] - offsets[example]);
  }
};

/// Adds to the selection, for every list of proposed classes, the best `keep` by their model
/// scores, best first.
inline void rerank(const ClassLists& proposed, std::span<const float> scores, std::uint32_t keep,
                   Selection& selection) {
  for (std::size_t e = 0; e < proposed.size(); ++e) {
    const std::size_t begin = selection.candidates.size();
    const std::uint32_t first = proposed.starts[e];
    const std::uint32_t count = proposed.starts[e + 1] - first;
    selection.candidates.resize(begin + std::min(keep, count));
    Candidate* kept = selection.candidates.data() + begin;
    // Insertion is faster than sorting here: most classes are worse than all that are kept.
    std::uint32_t size = 0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Candidate candidate = {proposed.classes[i], scores[i]};
      if (size == keep && !is_better(candidate, kept[size - 1])) continue;
      std::uint32_t place = size < keep ? size++ : size - 1;
      for (; place > 0 && is_better(candidate, kept[place - 1]); --place) {
        kept[place] = kept[place - 1];
      }
      kept[place] = candidate;
    }
    selection.offsets.push_back(selection.candidates.size());
  }
}

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

    /// The best known law of the classes outside the candidates of the last selected rows, for
    /// estimates of their mass.
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
