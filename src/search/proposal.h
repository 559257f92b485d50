// A cheap, normalised model p'(k | x), trained alongside the classes by maximum likelihood: of low
// rank, or a hierarchical softmax. It provides the candidates, which are its best classes rescored
// by the full model, and the noise samples, which are draws from p' outside the candidates mixed
// with a uniform floor,
//   q(k) = (1 - floor) p'(k | outside) + floor / (K - candidates),
// so that every class has positive probability. It sees x, never the label: consistency requires
// only that, and the exact q.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/row_view.h"
#include "core/noise/noise_source.h"
#include "core/noise/uniform_noise.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/weight_view.h"
#include "search/selector.h"

namespace cane {

/// Projects the features to the inputs of p': one block with a column per dimension of the
/// projection, of which the first `rank` are used. The layout and the weights must outlive it.
/// Without a layout, the inputs of p' are the features themselves.
struct Projection {
  const BlockLayout* layout = nullptr;
  WeightView weights = {};
  std::uint32_t rank = 0;
};

/// The rows of a few examples as a proposal sees them: projected to a few dimensions.
class ProjectedRows {
 public:
  /// The result is valid until the next call; without a projection, it is `rows`.
  std::span<const RowView> project(const Projection& projection, std::span<const RowView> rows) {
    if (projection.layout == nullptr) return rows;
    const BlockShape shape = projection.layout->shape(0);
    inputs_.resize(rows.size() * shape.stride);
    views_.clear();
    tasks_.clear();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      float* input = inputs_.data() + e * shape.stride;
      tasks_.push_back({rows[e], 0.0F, input});
      views_.push_back({nullptr, input, projection.rank});
    }
    projection.weights.score_block(*projection.layout, 0, tasks_);
    return views_;
  }

 private:
  std::vector<float> inputs_;   // projected features, one block row each
  std::vector<RowView> views_;  // of `inputs_`
  std::vector<ScoreTask> tasks_;
};

// The noises of a proposal p' are drawn from p' outside the candidates, mixed with a uniform floor,
// so that every class has positive probability.

/// Smaller mass outside the candidates is treated as rounding error: all noises are then uniform.
inline constexpr double kMinOutsideMass = 1e-30;

/// log q of a class that p' gives `probability` outside the candidates, and the floor `uniform`.
inline float log_floored(bool has_mass, double probability, double uniform) {
  if (!has_mass) return static_cast<float>(std::log(uniform));
  return static_cast<float>(std::log((1.0 - kNoiseFloor) * probability + kNoiseFloor * uniform));
}

/// The proposal of one thread. Example numbers refer to the last selected batch.
class ProposalWorker : public Selector::Worker, public NoiseSource {
 public:
  ProposalWorker(const ClassScorer& scorer, const Projection& projection)
      : Worker(scorer), projection_(projection), uniform_(scorer.classes()) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selection& selection) final;
  /// Skips a batch: until the next one the noise distribution is uniform, and p' is not trained.
  void skip_batch() final { projected_ = {}; }
  NoiseSource& noise() final { return *this; }

  void draw(std::uint32_t example, std::span<const ClassId> excluded, const CounterRandom& random,
            std::uint64_t number, std::span<ClassId> noises, std::span<float> log_q) final;
  float log_q(std::uint32_t example, ClassId class_id, std::span<const ClassId> excluded) final;

  /// Number of leading examples of the batch to train on.
  virtual std::uint32_t num_to_learn() const = 0;
  /// Adds the steps on -log p'(label | x), times `scale`, and those in the inputs, which are added
  /// to `inputs` unless it is null; returns that loss.
  virtual float learn(std::uint32_t example, ClassId label, float scale, GradientParts& classes,
                      float* inputs) = 0;
  /// The inputs that the rows of the class table are multiplied with.
  std::span<const RowView> projected() const { return projected_; }
  bool has_projection() const { return projection_.layout != nullptr; }

 protected:
  /// Scores what was just proposed, as score() would.
  virtual std::uint64_t score_proposed(std::span<const RowView> rows, const ClassLists& proposed,
                                       float* scores) {
    return score(rows, proposed, scores);
  }
  /// Adds to `proposed`, for every projected row, at most `width` classes with the highest p';
  /// returns the number of rows of proposal weights scored.
  virtual std::uint64_t propose(std::uint32_t width, ClassLists& proposed) = 0;

  struct Draw {
    ClassId class_id;
    double probability;  // of drawing it
  };
  /// Prepares p' restricted to the classes outside; returns false if their mass is below
  /// kMinOutsideMass.
  virtual bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) = 0;
  /// Both require prepare_outside for the same example; u is uniform in [0, 1).
  virtual Draw draw_outside(std::uint32_t example, double u) = 0;
  virtual double probability_outside(std::uint32_t example, ClassId class_id) = 0;

 private:
  Projection projection_;
  UniformNoise uniform_;
  ProjectedRows inputs_;
  std::span<const RowView> projected_;  // these, or the rows; empty if the batch was skipped
  ClassLists proposed_;
  std::vector<float> scores_;
};

class Proposal : public Selector {
 public:
  virtual std::unique_ptr<ProposalWorker> make_proposal_worker() const = 0;
  std::unique_ptr<Worker> make_worker() const final { return make_proposal_worker(); }
};

}  // namespace cane
