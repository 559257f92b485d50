// The proposal `narrow` (plain/narrow.h, plain/narrow_noise.h).
#pragma once

#include <algorithm>

#include "device/parts/softmax_layer.h"
#include "device/plain/narrow_noise.h"

namespace cane::device {

template <typename Backend>
class NarrowProposal {
 public:
  NarrowProposal() = default;
  NarrowProposal(Backend& backend, const LearnerSpec& spec, const RowTable& table,
                 const Rows& projected, std::uint64_t most_scores)
      : blocks_(backend, spec.classes, spec.batch, most_scores),
        softmax_(backend, table, blocks_, spec.batch),
        tiles_((spec.classes + kTile - 1) / kTile),
        largest_(backend, std::uint64_t{spec.batch} * tiles_),
        masses_(backend, std::uint64_t{spec.batch} * tiles_),
        best_tiles_(backend, std::uint64_t{spec.batch} * spec.beam),
        scores_(backend, std::uint64_t{spec.batch} * spec.beam * kTile),
        places_(backend, std::uint64_t{spec.batch} * spec.beam),
        left_(backend, std::uint64_t{spec.batch} * spec.candidates),
        law_{table, projected, spec.classes, tiles_, largest_.data(), masses_.data()} {}
  // Parts point to each other.
  NarrowProposal(const NarrowProposal&) = delete;
  NarrowProposal& operator=(const NarrowProposal&) = delete;

  /// Rows of the proposal that are scored for an example.
  std::uint64_t rows_scored() const { return law_.classes; }

  void propose(const StepContext<Backend>& step, const Proposed& proposed) {
    blocks_.for_each([&](const ClassBlock& block) {
      blocks_.score(step, law_.inputs, law_.table, step.places, block);
      const std::uint32_t tiles = (block.count + kTile - 1) / kTile;
      step.backend.template launch<Spread::kWarp>(
          std::uint64_t{step.places} * tiles,
          SumTile{law_, block.scores, block.pitch, block.first / kTile, tiles});
    });
    step.backend.template launch<Spread::kBlock>(
        step.places, ProposeFromTiles{step.batch, law_, proposed, best_tiles_.data(),
                                      scores_.data(), places_.data()});
  }

  void draw(const StepContext<Backend>& step, const Shortlists& lists) {
    step.backend.template launch<Spread::kBlock>(
        step.places, DrawFromTiles{step.batch, law_, lists, left_.data()});
  }

  /// `gradient`: of the projected inputs.
  void learn(const StepContext<Backend>& step, float* gradient) {
    softmax_.learn(step, law_.inputs, {.takes_quarter = true, .gradient = gradient});
  }
  std::uint32_t learning_places(std::uint32_t places) const { return (places + 3) / 4; }

 private:
  ScoreBlocks<Backend> blocks_;
  SoftmaxLayer<Backend> softmax_;
  std::uint32_t tiles_ = 0;
  Array<float> largest_;
  Array<float> masses_;
  Array<std::uint32_t> best_tiles_;
  Array<float> scores_;
  Array<std::uint32_t> places_;
  Array<float> left_;
  NarrowLaw law_;
};

}  // namespace cane::device
