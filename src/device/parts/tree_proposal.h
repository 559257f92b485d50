// The hierarchical softmax of the method hsm (plain/path.h), and the proposal `tree`, which learns
// by it (plain/tree_search.h, plain/tree_noise.h).
#pragma once

#include <limits>

#include "device/parts/step_context.h"
#include "device/plain/path.h"
#include "device/plain/tree_noise.h"

namespace cane::device {

/// With a log-probability above it, a node is left as it is (train/steps/path_step.cc).
inline constexpr float kSure = -1e-4F;
inline constexpr float kNeverSure = std::numeric_limits<float>::infinity();

/// A hierarchical softmax over the label's path.
template <typename Backend>
class PathLayer {
 public:
  PathLayer() = default;
  PathLayer(Backend& backend, const RowTable& table, const TreeView& tree, std::uint32_t batch,
            bool has_sparse_inputs)
      : table_(table),
        tree_(tree),
        rows_(backend, std::uint64_t{batch} * tree.slots()),
        values_(backend, std::uint64_t{batch} * tree.slots()),
        pieces_(backend, has_sparse_inputs ? 0 : values_.size(), std::uint64_t{table.width} + 1) {
    backend.reserve_sort(rows_.size());
  }

  struct Options {
    float clip = 0.0F;
    float sure = kNeverSure;
    bool adds_results = false;
    float* gradient = nullptr;  // of the inputs
    std::uint64_t pitch = 0;
  };

  void learn(const StepContext<Backend>& step, const Rows& inputs, const Options& options) {
    Backend& backend = step.backend;
    const Entries entries = {tree_.slots(), rows_.data(), values_.data()};
    backend.template launch<Spread::kWarp>(step.places, ListPath{step.batch, tree_, rows_.data()});
    backend.template launch<Spread::kWarp>(rows_.size(), ScoreEntry{inputs, table_, entries});
    backend.template launch<Spread::kWarp>(
        step.places,
        DifferentiatePath{step.batch, inputs, tree_, rows_.data(), values_.data(), options.clip,
                          options.sure, options.adds_results ? step.results : ExampleResults{}});
    learn_entries(step, inputs, table_, entries, pieces_, options.gradient, options.pitch);
  }

 private:
  RowTable table_;
  TreeView tree_;
  Array<std::uint32_t> rows_;
  Array<float> values_;
  PieceStore<Backend> pieces_;
};

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
