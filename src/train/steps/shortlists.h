// The shortlists of a few examples with all scores, however they were made, and the gradient of an
// objective in these scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/objective/shortlist.h"
#include "data/rows/dataset_view.h"
#include "step/step_worker.h"

namespace cane {

/// What an objective asks of some classes for one example: their steps are minus `scale` times the
/// gradient. 0: none.
struct ShortlistSteps {
  std::span<const ClassId> classes;
  std::span<const float> gradient;
  float scale = 0.0F;
};

class Shortlists {
 public:
  std::size_t size() const { return entries_.size(); }
  Shortlist shortlist(std::size_t example) const {
    const Entry& entry = entries_[example];
    return {entry.candidates,  entry.noises,
            entry.label_at,    log_q_.data() + entry.log_q_start,
            entry.label_log_q, 0,
            entry.noise_weight};
  }
  std::span<const ClassId> classes(std::size_t example) const {
    return std::span(classes_).subspan(entries_[example].start, entries_[example].size());
  }
  std::span<const float> scores(std::size_t example) const {
    return std::span(scores_).subspan(entries_[example].start, entries_[example].size());
  }

  /// Computes losses and gradients, of `cane` with pooled noises if asked for. `count`: of all
  /// classes; `examples`: their numbers in the data; `rows`: those that the classes see; `clip`
  /// bounds the norm of an example's gradient, unless it is 0. The result lacks the rows scored.
  StepStats differentiate(Method method, bool pools_noises, std::uint32_t count,
                          const DatasetView& data, std::span<const std::uint32_t> examples,
                          std::span<const RowView> rows, float clip);
  /// After differentiate.
  ShortlistSteps steps(std::size_t example) const {
    const Entry& entry = entries_[example];
    return {classes(example), std::span(gradient_).subspan(entry.start, entry.size()),
            entry.step_scale};
  }

 protected:
  struct Entry {
    std::uint32_t start;  // of its classes and scores: candidates, then noises
    std::uint32_t candidates;
    std::uint32_t noises;
    std::uint32_t label_at;
    std::uint32_t log_q_start;
    float label_log_q = 0.0F;
    float noise_weight = 1.0F;
    float step_scale = 0.0F;
    std::uint32_t size() const { return candidates + noises; }
  };

  void clear() {
    entries_.clear();
    classes_.clear();
    scores_.clear();
    log_q_.clear();
  }
  /// An entry that begins at the end of the lists.
  Entry next_entry(std::uint32_t candidates, std::uint32_t label_at) const {
    return {static_cast<std::uint32_t>(classes_.size()), candidates, 0, label_at,
            static_cast<std::uint32_t>(log_q_.size())};
  }

  std::vector<Entry> entries_;
  std::vector<ClassId> classes_;
  std::vector<float> scores_;
  std::vector<float> log_q_;
  std::vector<float> gradient_;
};

}  // namespace cane
