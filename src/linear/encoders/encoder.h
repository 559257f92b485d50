// The representation g_psi(x) that classes are scored over, learned with them (Alg. 2, last step).
// A layer is one block of weights whose columns are its units. `bag`: one layer and nothing behind
// it, so that an example is the sum of its features' embeddings, each times the feature's value;
// rows of length one (--normalize l2) keep that sum in bounds. `mlp`: one or more layers, each
// followed by ReLU. `identity`: no layer; rows go through as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/row_view.h"
#include "core/simd/block_kernels.h"
#include "linear/gradient/gradient_parts.h"
#include "linear/weights/parameter_table.h"
#include "linear/weights/weight_view.h"

namespace cane {

class Encoder {
 public:
  struct LayerOutput {
    std::vector<float> values;  // of every row, a stride apart
    std::vector<RowView> rows;  // the same as rows
    std::vector<float> steps;   // in these values, on the way back
  };
  struct Workspace {
    std::vector<LayerOutput> layers;
    std::vector<ScoreTask> tasks;
    std::vector<BackTask> back_tasks;
  };
  /// What is left out in training; the numbers of the examples choose it.
  struct Dropout {
    CounterRandom random;
    std::span<const std::uint32_t> examples;
  };

  /// `tables` and `weights`: all of a model.
  Encoder(const TrainConfig& config, const std::vector<ParameterTable>& tables,
          const WeightViews& weights);

  bool is_identity() const { return layers_.empty(); }
  std::size_t layers() const { return layers_.size(); }
  const BlockLayout& layout(std::size_t layer) const { return *layers_[layer].layout; }

  /// The rows that the classes see; valid until the next call, and as long as `rows`. Without
  /// `dropout`, as in prediction, nothing is left out.
  std::span<const RowView> encode(std::span<const RowView> rows, Workspace& workspace,
                                  const Dropout* dropout = nullptr) const;

  /// The way back, after encode() of the same rows. `steps`: of every row, dim floats each
  /// `pitch` apart, minus the gradient in what encode() gave. Adds a part for every row to
  /// `gradients`, one for each layer.
  void back(const float* steps, std::size_t pitch, Workspace& workspace,
            std::span<GradientParts> gradients) const;

 private:
  struct Layer {
    const BlockLayout* layout;
    WeightView weights;
  };
  void rectify(std::size_t layer, const Dropout* dropout, LayerOutput& output) const;

  std::vector<Layer> layers_;
  std::uint32_t dim_;
  bool has_relu_;
  float dropout_;
};

}  // namespace cane
