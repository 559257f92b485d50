// A cheap, normalised model p'(k | x) of low rank, learned alongside by its own likelihood. It
// gives the candidates, its best classes scored again with the full model; and the noises, draws
// from p' outside the candidates mixed with a uniform floor,
//   q(k) = (1 - floor) p'(k | outside) + floor / (K - candidates),
// so that no class is ever out of reach. It sees x, never the label: consistency needs only that,
// and the exact q.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/gradient/gradient_parts.h"
#include "linear/weights/weight_view.h"
#include "search/selector.h"

namespace cane {

class Proposal : public Selector {
 public:
  struct Workspace : Selector::Workspace {
    std::vector<float> inputs;       // projected features, a block row each
    std::vector<RowView> projected;  // the same as rows
    std::vector<ScoreTask> tasks;
    ClassLists proposed;
    std::vector<float> scores;
  };

  /// `projection`: one block with a column for every dimension; `rank` of them count.
  Proposal(const ClassScorer& scorer, const BlockLayout& projection, WeightView projection_weights,
           std::uint32_t rank)
      : Selector(scorer),
        projection_(&projection),
        projection_weights_(projection_weights),
        rank_(rank) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace, Selection& selection) const final;
  Taught taught(Selector::Workspace& workspace) const final { return {this, &workspace}; }

  /// Fills `noises` with classes outside `excluded` (ascending) for an example of the batch
  /// selected last, and `log_q` with the exact log-probability of each.
  void sample(std::uint32_t example, std::span<const ClassId> excluded, const CounterRandom& random,
              std::uint64_t number, std::span<ClassId> noises, std::span<float> log_q,
              Selector::Workspace& workspace) const;
  /// log q of a class that is not in `excluded`.
  float log_probability(std::uint32_t example, ClassId label, std::span<const ClassId> excluded,
                        Selector::Workspace& workspace) const;

  /// Adds the gradient of -log p'(label | x), times `scale`, for an example of the batch selected
  /// last; returns that loss.
  float learn(std::uint32_t example, ClassId label, float scale, Selector::Workspace& workspace,
              GradientParts& projection, GradientParts& classes) const;
  /// What the rows of the class table are multiplied with.
  static std::span<const RowView> projected(const Selector::Workspace& workspace) {
    return static_cast<const Workspace&>(workspace).projected;
  }

  /// Of `examples` examples of a batch, so many are enough to learn from.
  virtual std::uint32_t lesson(std::uint32_t examples) const = 0;

 protected:
  /// Adds to workspace.proposed, for every projected row, the `width` classes with the highest p';
  /// returns the rows of proposal weights scored.
  virtual std::uint64_t propose(std::uint32_t width, Workspace& workspace) const = 0;

  struct Draw {
    ClassId label;
    double probability;  // of having drawn it
  };
  /// Below this the mass outside the candidates is rounding.
  static constexpr double kMinMass = 1e-30;
  /// Prepares p' restricted to the classes outside; false where that has less than kMinMass.
  virtual bool prepare_outside(std::uint32_t example, std::span<const ClassId> excluded,
                               Workspace& workspace) const = 0;
  /// Both after prepare_outside for the same example; u is uniform in [0, 1).
  virtual Draw draw_outside(std::uint32_t example, double u, Workspace& workspace) const = 0;
  virtual double probability_outside(std::uint32_t example, ClassId label,
                                     Workspace& workspace) const = 0;

  /// Adds to `inputs` (rank floats) the steps in the projected features.
  virtual float learn_classes(std::uint32_t example, ClassId label, float scale,
                              Workspace& workspace, GradientParts& classes,
                              float* inputs) const = 0;

  std::uint32_t rank() const { return rank_; }

 private:
  void project(std::span<const RowView> rows, Workspace& workspace) const;

  const BlockLayout* projection_;
  WeightView projection_weights_;
  std::uint32_t rank_;
};

}  // namespace cane
