// Predicts a batch of rows with a model: runs the search and, if requested, computes the
// probabilities. The predictor is const; each thread writes only to its own workspace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
#include "core/noise/uniform_noise.h"
#include "data/rows/row_gather.h"
#include "linear/encoders/encoder.h"
#include "model/calibration.h"
#include "predict/normalizer.h"
#include "search/selector.h"

namespace cane {

/// Rows per search: enough to amortise reading the weight blocks, few enough for their scores to
/// stay in cache.
inline constexpr std::size_t kPredictBatch = 256;

/// The calibration of a model and the training examples of each class; null: none.
struct CalibrationParts {
  const Calibration* calibration = nullptr;
  std::span<const std::uint64_t> class_counts;
};

/// How the scores of an example become probabilities.
struct Normalization {
  float scale = 1.0F;  // of the scores: the inverse of a temperature
  float shift = 0.0F;  // subtracted from the scaled score of a class
  float error = 0.0F;  // standard error of the logarithm of the normaliser
  bool is_calibrated = false;
  float log_best = 0.0F;  // if calibrated: what the best class found has

  float log_probability(float score, bool is_best) const {
    return is_calibrated && is_best ? log_best : scale * score - shift;
  }
};

class BatchPredictor {
 public:
  /// `encoder` may be null: features are then used unchanged. What `calibration` points to must
  /// outlive the object.
  BatchPredictor(std::unique_ptr<Encoder> encoder, std::unique_ptr<ClassScorer> scorer,
                 std::unique_ptr<Selector> selector, const CalibrationParts& calibration = {})
      : encoder_(std::move(encoder)),
        scorer_(std::move(scorer)),
        selector_(std::move(selector)),
        calibration_(calibration) {}

  struct Workspace {
    RowGather gather;
    Encoder::Workspace encoder;
    std::span<const RowView> encoded;  // the rows of the last search, as the classes see them
    std::unique_ptr<Selector::Worker> search;
    Selection selection;
    NormalizerScratch normalizer;
    std::vector<LogNormalizer> log_normalizers;
    std::vector<Normalization> normalizations;  // of the rows of the last search
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
  /// Whether scores are log-probabilities already; these have no temperature.
  bool is_normalized() const { return scorer_->is_normalized(); }
  bool prefers_dense_rows() const { return encoder_ == nullptr && scorer_->prefers_dense_rows(); }
  /// How many classes a search must keep for normalize(), where `how` is not kNone.
  std::uint32_t least_to_keep(Probability how, std::uint32_t width) const;

  /// Fills workspace.selection with the best `keep` classes from a beam of `width`.
  void search(std::span<const RowView> rows, std::uint32_t width, std::uint32_t keep,
              Workspace& workspace) const {
    workspace.encoded = encoder_ == nullptr ? rows : encoder_->encode(rows, workspace.encoder);
    workspace.search->select(workspace.encoded, {CounterRandom(0, RandomPurpose::kEstimate), {}},
                             width, keep, workspace.selection);
  }

  /// Fills workspace.normalizations for the rows of the last search. `how` is kEstimate or kExact.
  void normalize(Probability how, std::uint32_t noises, Workspace& workspace) const;

  /// Fills workspace.log_normalizers for the rows of the last search, without calibration.
  void compute_log_normalizers(Probability how, std::uint32_t noises, Workspace& workspace) const;

  /// Calls visit(example, others) for every row of the last search, in order.
  using VisitOthers = std::function<void(std::uint32_t example, const OtherClasses& others)>;
  void for_each_others(Probability how, std::uint32_t noises, Workspace& workspace,
                       const VisitOthers& visit) const;

  /// Scores of classes for the rows of the last search.
  void score_classes(const ClassLists& lists, Workspace& workspace, float* scores) const {
    workspace.search->score(workspace.encoded, lists, scores);
  }

 private:
  void visit_exact_others(Workspace& workspace, const VisitOthers& visit) const;
  Normalization calibrated(std::span<const Candidate> found, const OtherClasses& others) const;

  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<ClassScorer> scorer_;
  std::unique_ptr<Selector> selector_;
  CalibrationParts calibration_;
};

}  // namespace cane
