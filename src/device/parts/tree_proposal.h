// The proposal `tree` (plain/tree_search.h, plain/tree_noise.h).
#pragma once

#include "device/parts/path_layer.h"
#include "device/plain/tree_noise.h"

namespace cane::device {

template <typename Backend>
class TreeProposal {
 public:
  TreeProposal() = default;
  TreeProposal(Backend& backend, const LearnerSpec& spec, const RowTable& table,
               const TreeView& tree, const Rows& projected)
      : law_{tree, table, projected},
        classes_(spec.classes),
        beam_(spec.beam),
        paths_(backend, table, tree, spec.batch, false),
        nodes_(backend, beams(spec)),
        bases_(backend, beams(spec)),
        scores_(backend, beams(spec) * tree.arity),
        places_(backend, beams(spec)),
        next_(backend, beams(spec)),
        capacity_(spec.candidates * tree.depth),
        counts_(backend, spec.batch),
        outside_nodes_(backend, std::uint64_t{spec.batch} * capacity_),
        depths_(backend, std::uint64_t{spec.batch} * capacity_),
        left_(backend, std::uint64_t{spec.batch} * capacity_ * tree.arity),
        masses_(backend, std::uint64_t{spec.batch} * capacity_),
        children_(backend, std::uint64_t{spec.batch} * spec.noises * tree.arity) {}

  /// Rows of the proposal that are scored for an example, at most.
  std::uint64_t rows_scored() const {
    return law_.tree.arity * (1 + std::uint64_t{law_.tree.depth - 1} * beam_);
  }

  void propose(const StepContext<Backend>& step, const Proposed& proposed) {
    step.backend.template launch<Spread::kBlock>(
        step.places,
        SearchTree{step.batch,
                   law_,
                   proposed,
                   {nodes_.data(), bases_.data(), scores_.data(), places_.data(), next_.data()}});
  }

  void draw(const StepContext<Backend>& step, const Shortlists& lists) {
    if (lists.noises == 0) {
      step.backend.template launch<Spread::kWarp>(
          step.places, DrawOutside{step.batch, lists, FixedLaw{classes_, nullptr, nullptr}});
      return;
    }
    const OutsideTrees outside = {capacity_,      counts_.data(), outside_nodes_.data(),
                                  depths_.data(), left_.data(),   masses_.data()};
    step.backend.template launch<Spread::kBlock>(step.places,
                                                 PrepareOutside{step.batch, law_, lists, outside});
    step.backend.template launch<Spread::kWarp>(
        std::uint64_t{step.places} * lists.noises,
        DrawFromTree{step.batch, law_, lists, outside, classes_, children_.data()});
  }

  /// `gradient`: of the projected inputs.
  void learn(const StepContext<Backend>& step, float* gradient) {
    paths_.learn(step, law_.inputs, {.gradient = gradient, .pitch = law_.inputs.pitch});
  }
  std::uint32_t learning_places(std::uint32_t places) const { return places; }

 private:
  static std::uint64_t beams(const LearnerSpec& spec) {
    return std::uint64_t{spec.batch} * spec.beam;
  }

  TreeLaw law_;
  std::uint32_t classes_ = 0;
  std::uint32_t beam_ = 0;
  PathLayer<Backend> paths_;
  Array<std::uint32_t> nodes_;
  Array<float> bases_;
  Array<float> scores_;
  Array<std::uint32_t> places_;
  Array<std::uint32_t> next_;
  std::uint32_t capacity_ = 0;
  Array<std::uint32_t> counts_;
  Array<std::uint32_t> outside_nodes_;
  Array<std::uint32_t> depths_;
  Array<float> left_;
  Array<float> masses_;
  Array<float> children_;
};

}  // namespace cane::device
