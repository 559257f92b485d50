// Predicts a batch of rows with a model: runs the search and, if requested, computes the
// normaliser. The predictor is const; each thread writes only to its own workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/noise/uniform_noise.h"
#include "data/rows/row_gather.h"
#include "linear/encoders/encoder.h"
#include "predict/normalizer.h"
#include "search/selector.h"

namespace cane {

/// Rows per search: enough to amortise reading the weight blocks, few enough for their scores to
/// stay in cache.
inline constexpr std::size_t kPredictBatch = 256;

class BatchPredictor {
 public:
  /// `encoder` may be null: features are then used unchanged.
  BatchPredictor(std::unique_ptr<Encoder> encoder, std::unique_ptr<ClassScorer> scorer,
                 std::unique_ptr<Selector> selector)
      : encoder_(std::move(encoder)),
        scorer_(std::move(scorer)),
        selector_(std::move(selector)),
        noise_(scorer_->classes()) {}

  struct Workspace {
    RowGather gather;
    Encoder::Workspace encoder;
    std::span<const RowView> encoded;  // the rows of the last search, as the classes see them
    std::unique_ptr<Selector::Worker> search;
    Selection selection;
    NormalizerScratch normalizer;
    std::vector<float> log_normalizers;
  };
  Workspace make_workspace() const {
    Workspace workspace;
    workspace.search = selector_->make_worker();
    return workspace;
  }
  std::vector<Workspace> make_workspaces(int threads) const {
    std::vector<Workspace> workspaces;
    for (int i = 0; i < threads; ++i) workspaces.push_back(make_workspace());
    return workspaces;
  }

  bool has_probabilities() const { return scorer_->has_probabilities(); }
  bool prefers_dense_rows() const { return encoder_ == nullptr && scorer_->prefers_dense_rows(); }

  /// Fills workspace.selection with the best `keep` classes from a beam of `width`.
  void search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
              Workspace& workspace) const {
    workspace.encoded = encoder_ == nullptr ? rows : encoder_->encode(rows, workspace.encoder);
    workspace.search->select(workspace.encoded, {CounterRandom(0, RandomPurpose::kEstimate), {}},
                             width, keep, workspace.selection);
  }

  /// Fills workspace.log_normalizers for the rows of the last search.
  void normalize(Probability how, std::uint32_t noises, Workspace& workspace) const;

  /// Scores of classes for the rows of the last search.
  void score_classes(const ClassLists& lists, Workspace& workspace, float* scores) const {
    workspace.search->score(workspace.encoded, lists, scores);
  }

 private:
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<ClassScorer> scorer_;
  std::unique_ptr<Selector> selector_;
  UniformNoise noise_;
};

}  // namespace cane
