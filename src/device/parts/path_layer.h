// A hierarchical softmax over the label's path (plain/path.h): the method hsm, and the proposal of
// a tree when it learns.
#pragma once

#include <limits>

#include "device/parts/step_context.h"
#include "device/plain/path.h"

namespace cane::device {

/// With a log-probability above it, a node is left as it is (train/steps/path_step.cc).
inline constexpr float kSure = -1e-4F;
inline constexpr float kNeverSure = std::numeric_limits<float>::infinity();

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

}  // namespace cane::device
