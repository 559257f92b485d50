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

#include "core/base/random.h"
#include "core/noise/noise_source.h"
#include "data/rows/dataset_view.h"
#include "search/selector.h"
#include "step/encoded_rows.h"
#include "train/steps/shortlists.h"

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

class ShortlistBatch : public Shortlists {
 public:
  ShortlistBatch(const ShortlistParts& parts, ShortlistSources sources);

  /// `random` is the generator of the epoch; the noise of an example is a function of it and the
  /// example's number.
  void fill(std::span<const std::uint32_t> examples, const CounterRandom& random);

  std::span<const RowView> rows() const { return rows_.rows(); }
  std::uint64_t rows_scored() const { return rows_scored_; }
  /// Adds the gradients in the encoder, as EncodedRows::back.
  void back(GradientParts& classes, GradientParts* proposal,
            std::vector<TableGradient>& gradients) {
    rows_.back(classes, proposal, gradients);
  }

 private:
  void add_selected(std::uint32_t example, std::uint32_t number, const CounterRandom& random);
  void add_label(std::uint32_t number, const CounterRandom& random);
  void sample(std::uint32_t example, std::uint32_t number, const CounterRandom& random,
              std::uint32_t noises, Entry& entry);
  bool skips_noises(std::uint32_t example, std::uint32_t number, const CounterRandom& random,
                    Entry& entry);
  void score_noises();

  ShortlistParts parts_;
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
