// Prediction for a batch of rows with a model: search, and the normaliser where it is wanted. The
// predictor is const; what a thread scribbles on is its workspace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "candidates/beam_search.h"
#include "cane/config.h"
#include "data/row_gather.h"
#include "noise/uniform_noise.h"
#include "predict/normalizer.h"

namespace cane {

/// Rows that one search takes at a time: enough to share the reading of blocks, few enough for
/// their scores to stay in the cache.
inline constexpr std::size_t kPredictBatch = 256;

class BatchPredictor {
 public:
  /// The tree, layout and weights must outlive the predictor.
  BatchPredictor(const ClassTree& tree, const BlockLayout& layout, const float* weights)
      : scorer_(tree, layout, weights), selector_(scorer_), noise_(tree.class_count()) {}

  struct Workspace {
    RowGather gather;
    BeamSearch::Workspace search;
    Selection selection;
    NormalizerWorkspace normalizer;
    std::vector<float> log_normalizers;
  };

  /// Fills workspace.selection with the best `keep` classes in a beam of `width`.
  void search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
              Workspace& workspace) const {
    selector_.search(rows, width, keep, workspace.search, workspace.selection);
  }

  /// Fills workspace.log_normalizers; the estimate needs a search of the same rows before it.
  void normalize(std::span<const RowView> rows, Probability how, std::uint32_t noises,
                 Workspace& workspace) const;

  /// Scores of classes for examples of the last search.
  void score_classes(std::span<const RowView> rows, std::span<const BeamSearch::Request> requests,
                     Workspace& workspace, float* scores) const {
    selector_.score_classes(rows, requests, workspace.search, scores);
  }

 private:
  PathScorer scorer_;
  BeamSearch selector_;
  UniformNoise noise_;
};

}  // namespace cane
