// The representation g_psi(x) from which classes are scored, trained jointly with them (Alg. 2,
// last step). A layer is one block of weights whose columns are its units. To add an encoder,
// implement this interface (as BagEncoder does in encoder.cc) and add a case to make_encoder and a
// row to methods/encoder_table.h.
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
    std::vector<float> values;  // output of every row, a stride apart
    std::vector<RowView> rows;  // views of `values`
    std::vector<float> steps;   // minus the gradient with respect to `values`
  };
  struct Workspace {
    std::vector<LayerOutput> layers;
    std::vector<ScoreTask> tasks;
    std::vector<BackTask> back_tasks;
  };
  /// The randomness of dropout in training, keyed by the numbers of the examples.
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

  /// Returns the encoded rows, valid until the next call and as long as `rows`. Without `dropout`,
  /// as in prediction, no unit is dropped.
  virtual std::span<const RowView> encode(std::span<const RowView> rows, Workspace& workspace,
                                          const Dropout* dropout = nullptr) const = 0;

  /// Backward pass, after encode() of the same rows. `steps`: dim floats per row, `pitch` apart,
  /// minus the gradient with respect to the output of encode(). Adds one part per row to
  /// `gradients`, which has one element per layer.
  virtual void back(const float* steps, std::size_t pitch, Workspace& workspace,
                    std::span<GradientParts> gradients) const = 0;

 protected:
  /// Writes the outputs of a layer's units before any activation.
  LayerOutput& apply_layer(std::size_t layer, std::span<const RowView> inputs,
                           Workspace& workspace) const;

  const std::vector<Layer> layers_;
  const std::uint32_t dim_;
};

/// Null if the raw features are used. `tables` and `weights`: all tables of a model, which must
/// outlive the encoder.
std::unique_ptr<Encoder> make_encoder(const TrainConfig& config,
                                      const std::vector<ParameterTable>& tables,
                                      const WeightViews& weights);

}  // namespace cane
