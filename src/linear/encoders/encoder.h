// The representation g_psi(x) that classes are scored over, learned with them (Alg. 2, last step).
// A layer is one block of weights whose columns are its units. An encoder is an implementation of
// this interface (bag.h, mlp.h), a case of make_encoder and a row of methods/encoder_table.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cane/config.h"
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
  struct Layer {
    const BlockLayout* layout;
    WeightView weights;
  };

  Encoder(std::vector<Layer> layers, std::uint32_t dim) : layers_(std::move(layers)), dim_(dim) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  std::size_t layers() const { return layers_.size(); }
  const BlockLayout& layout(std::size_t layer) const { return *layers_[layer].layout; }

  /// The rows that the classes see; valid until the next call, and as long as `rows`. Without
  /// `dropout`, as in prediction, nothing is left out.
  virtual std::span<const RowView> encode(std::span<const RowView> rows, Workspace& workspace,
                                          const Dropout* dropout = nullptr) const = 0;

  /// The way back, after encode() of the same rows. `steps`: of every row, dim floats each
  /// `pitch` apart, minus the gradient in what encode() gave. Adds a part for every row to
  /// `gradients`, one for each layer.
  virtual void back(const float* steps, std::size_t pitch, Workspace& workspace,
                    std::span<GradientParts> gradients) const = 0;

 protected:
  /// Writes what the units of a layer make of its inputs, before any activation.
  LayerOutput& apply_layer(std::size_t layer, std::span<const RowView> inputs,
                           Workspace& workspace) const;

  const std::vector<Layer> layers_;
  const std::uint32_t dim_;
};

/// Null where the features are taken as they are. `tables` and `weights`: all of a model, which
/// must outlive the encoder.
std::unique_ptr<Encoder> make_encoder(const TrainConfig& config,
                                      const std::vector<ParameterTable>& tables,
                                      const WeightViews& weights);

}  // namespace cane
