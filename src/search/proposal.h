// A cheap, normalised, low-rank model p'(k | x), trained alongside the classes by maximum
// likelihood. It provides the candidates, which are its best classes rescored by the full model,
// and the noise samples, which are draws from p' outside the candidates mixed with a uniform floor,
//   q(k) = (1 - floor) p'(k | outside) + floor / (K - candidates),
// so that every class has positive probability. It sees x, never the label: consistency requires
// only that, and the exact q.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/noise/noise_source.h"
#include "core/noise/uniform_noise.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/weight_view.h"
#include "search/selector.h"

namespace cane {

/// Projects the features to the inputs of p': one block with a column per dimension of the
/// projection, of which the first `rank` are used. The layout and the weights must outlive it.
struct Projection {
  const BlockLayout* layout;
  WeightView weights;
  std::uint32_t rank;
};

/// The proposal of one thread. Example numbers refer to the last selected batch.
class ProposalWorker : public Selector::Worker, public NoiseSource {
 public:
  ProposalWorker(const ClassScorer& scorer, const Projection& projection)
      : Worker(scorer), projection_(projection), uniform_(scorer.classes()) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selection& selection) final;
  /// Skips a batch: until the next one the noise distribution is uniform, and p' is not trained.
  void skip_batch() final { projected_.clear(); }

  void draw(std::uint32_t example, std::span<const ClassId> excluded, const CounterRandom& random,
            std::uint64_t number, std::span<ClassId> noises, std::span<float> log_q) final;
  float log_q(std::uint32_t example, ClassId class_id, std::span<const ClassId> excluded) final;

  /// Number of leading examples of the batch to train on.
  virtual std::uint32_t num_to_learn() const = 0;
  /// Adds the gradient of -log p'(label | x), times `scale`; returns that loss.
  float learn(std::uint32_t example, ClassId label, float scale, GradientParts& projection,
              GradientParts& classes);
  /// The inputs that the rows of the class table are multiplied with.
  std::span<const RowView> projected() const { return projected_; }

 protected:
  /// Adds to `proposed`, for every projected row, the `width` classes with the highest p'; returns
  /// the number of rows of proposal weights scored.
  virtual std::uint64_t propose(std::uint32_t width, ClassLists& proposed) = 0;

  struct Draw {
    ClassId class_id;
    double probability;  // of drawing it
  };
  /// Smaller mass outside the candidates is treated as rounding error.
  static constexpr double kMinMass = 1e-30;
  /// Prepares p' restricted to the classes outside; returns false if their mass is below kMinMass.
  virtual bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) = 0;
  /// Both require prepare_outside for the same example; u is uniform in [0, 1).
  virtual Draw draw_outside(std::uint32_t example, double u) = 0;
  virtual double probability_outside(std::uint32_t example, ClassId class_id) = 0;

  /// Adds the steps in the projected features to `inputs` (rank floats).
  virtual float learn_classes(std::uint32_t example, ClassId label, float scale,
                              GradientParts& classes, float* inputs) = 0;

 private:
  void project(std::span<const RowView> rows);

  Projection projection_;
  UniformNoise uniform_;
  std::vector<float> inputs_;       // projected features, one block row each
  std::vector<RowView> projected_;  // the same as rows; empty if the batch was skipped
  std::vector<ScoreTask> tasks_;
  ClassLists proposed_;
  std::vector<float> scores_;
};

class Proposal : public Selector {
 public:
  virtual std::unique_ptr<ProposalWorker> make_proposal_worker() const = 0;
  std::unique_ptr<Worker> make_worker() const final { return make_proposal_worker(); }
};

}  // namespace cane
