// A cheap, normalised model p'(k | x) of low rank, which learns alongside by its likelihood. It
// gives the candidates, its best classes scored again with the full model; and the noises, draws
// from p' outside the candidates mixed with a uniform floor,
//   q(k) = (1 - floor) p'(k | outside) + floor / (K - candidates),
// so that no class is ever out of reach. It sees x, never the label: consistency needs only that,
// and the exact q.
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

/// From features to the few that p' sees: one block with a column for every dimension of the
/// projection, of which `rank` count. The layout and the weights must outlive it.
struct Projection {
  const BlockLayout* layout;
  WeightView weights;
  std::uint32_t rank;
};

/// One thread's proposal. Examples are those of the batch selected last.
class ProposalWorker : public Selector::Worker, public NoiseSource {
 public:
  ProposalWorker(const ClassScorer& scorer, const Projection& projection)
      : Worker(scorer), projection_(projection), uniform_(scorer.classes()) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selection& selection) final;
  /// Until the next batch there is no p': the law is uniform, and nothing is learned.
  void skip_batch() final { projected_.clear(); }

  void draw(std::uint32_t example, std::span<const ClassId> excluded, const CounterRandom& random,
            std::uint64_t number, std::span<ClassId> noises, std::span<float> log_q) final;
  float log_q(std::uint32_t example, ClassId class_id, std::span<const ClassId> excluded) final;

  /// The first so many examples of the batch are enough to learn from.
  virtual std::uint32_t num_to_learn() const = 0;
  /// Adds the gradient of -log p'(label | x), times `scale`; returns that loss.
  float learn(std::uint32_t example, ClassId label, float scale, GradientParts& projection,
              GradientParts& classes);
  /// What the rows of the class table are multiplied with.
  std::span<const RowView> projected() const { return projected_; }

 protected:
  /// Adds to `proposed`, for every projected row, the `width` classes with the highest p'; returns
  /// the rows of proposal weights scored.
  virtual std::uint64_t propose(std::uint32_t width, ClassLists& proposed) = 0;

  struct Draw {
    ClassId class_id;
    double probability;  // of having drawn it
  };
  /// Below this the mass outside the candidates is rounding.
  static constexpr double kMinMass = 1e-30;
  /// Prepares p' restricted to the classes outside; false where that has less than kMinMass.
  virtual bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded) = 0;
  /// Both after prepare_outside for the same example; u is uniform in [0, 1).
  virtual Draw draw_outside(std::uint32_t example, double u) = 0;
  virtual double probability_outside(std::uint32_t example, ClassId class_id) = 0;

  /// Adds to `inputs` (rank floats) the steps in the projected features.
  virtual float learn_classes(std::uint32_t example, ClassId label, float scale,
                              GradientParts& classes, float* inputs) = 0;

 private:
  void project(std::span<const RowView> rows);

  Projection projection_;
  UniformNoise uniform_;
  std::vector<float> inputs_;       // projected features, a block row each
  std::vector<RowView> projected_;  // the same as rows; none where the batch was skipped
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
