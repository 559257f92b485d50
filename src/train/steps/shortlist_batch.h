// Builds the shortlists of a few examples with all scores: gather, encode, select candidates,
// sample noise, score. It reads the weights and writes only to itself; the result for an example
// depends on the weights and that example alone. There are two kinds:
// - candidates come from a selector, which does not see the label, and noise from outside them;
// - without a selector the label is the only candidate, contrasted with noise.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/base/random.h"
#include "core/noise/noise_source.h"
#include "core/objective/shortlist.h"
#include "data/rows/dataset_view.h"
#include "search/selector.h"
#include "step/encoded_rows.h"
#include "step/step_worker.h"

namespace cane {

/// Read-only inputs shared by the shortlists of all threads.
struct ShortlistParts {
  const DatasetView* data;
  EncoderParts encoder;
  const ClassScorer* scorer;
  bool exclude_label;  // do not draw the label as noise
  std::uint32_t beam;
  std::uint32_t candidates;
  std::uint32_t noises;
  /// A label that is no candidate takes the place of one noise (core/objective/pooled_noises.h); if
  /// false, it is the only noise.
  bool pools_noises = false;
};

/// The sources of one thread's candidates and noise samples.
struct ShortlistSources {
  std::unique_ptr<Selector::Worker> selector;  // null: the label is the only candidate
  NoiseSource* noise;                          // may be a part of `selector`
};

/// What an objective asks of some classes for one example: their steps are minus `scale` times the
/// gradient. 0: none.
struct ShortlistSteps {
  std::span<const ClassId> classes;
  std::span<const float> gradient;
  float scale = 0.0F;
};

class ShortlistBatch {
 public:
  ShortlistBatch(const ShortlistParts& parts, ShortlistSources sources);

  /// `random` is the generator of the epoch; the noise of an example is a function of it and the
  /// example's number.
  void fill(std::span<const std::uint32_t> examples, const CounterRandom& random);

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

  /// Computes losses and gradients of the examples that fill() was given; `clip` bounds the norm of
  /// an example's gradient, unless it is 0.
  StepStats differentiate(Method method, std::span<const std::uint32_t> examples, float clip);
  /// After differentiate.
  ShortlistSteps steps(std::size_t example) const {
    const Entry& entry = entries_[example];
    return {classes(example), std::span(gradient_).subspan(entry.start, entry.size()),
            entry.step_scale};
  }

  std::span<const RowView> rows() const { return rows_.rows(); }
  std::uint64_t rows_scored() const { return rows_scored_; }
  /// Adds the gradients in the encoder, as EncodedRows::back.
  void back(GradientParts& classes, GradientParts* proposal,
            std::vector<TableGradient>& gradients) {
    rows_.back(classes, proposal, gradients);
  }

 private:
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

  void add_selected(std::uint32_t example, std::uint32_t number, const CounterRandom& random);
  void add_label(std::uint32_t number, const CounterRandom& random);
  void sample(std::uint32_t example, std::uint32_t number, const CounterRandom& random,
              std::uint32_t noises, Entry& entry);
  bool skips_noises(std::uint32_t example, std::uint32_t number, const CounterRandom& random,
                    Entry& entry);
  void score_noises();

  ShortlistParts parts_;
  std::vector<Entry> entries_;
  std::vector<ClassId> classes_;
  std::vector<float> scores_;
  std::vector<float> log_q_;
  std::vector<float> gradient_;
  EncodedRows rows_;
  ShortlistSources sources_;
  ScoringScratch scratch_;  // used if there is no selector
  Selection selection_;
  std::vector<ClassId> excluded_;
  ClassLists to_score_;
  std::vector<float> new_scores_;
  std::uint64_t rows_scored_ = 0;
};

}  // namespace cane
