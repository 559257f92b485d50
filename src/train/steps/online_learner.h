// What learns example by example, each at the weights the one before it left: the online trees. The
// trainer hands it the batches of an epoch one after the other; nothing is learned in common within
// a batch.
//
// Over an encoder it also says what it wants of its inputs: the gradient of what its rows
// learned in the row they saw, carried back to the tables of the encoder. The trainer takes these
// steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/weights/row_scaling.h"
#include "train/steps/encoded_rows.h"
#include "train/steps/step_worker.h"

namespace cane {

/// What an online tree sees of an example.
struct OnlineInputs {
  const DatasetView* data;
  EncoderParts encoder;                   // of the classes it needs nothing
  std::span<const float> feature_scales;  // none over an encoder, whose units have their own
  bool dense;                             // rows are spread out
};

class OnlineLearner {
 public:
  /// One for each thread.
  struct Scratch {
    explicit Scratch(const OnlineLearner& learner)
        : rows(*learner.inputs_.data, learner.inputs_.encoder) {}

    EncodedRows rows;
    std::vector<float> scaled;
    std::vector<float> steps;
    std::vector<float> input_steps;        // of every row, where there is an encoder
    std::vector<TableGradient> gradients;  // in the encoder, of the last call
  };

  /// What the inputs show must outlive this.
  explicit OnlineLearner(const OnlineInputs& inputs)
      : inputs_(inputs), scaling_(inputs.feature_scales) {}
  virtual ~OnlineLearner() = default;

  /// Threads may learn at once: they share weights without locks, and nothing else changes.
  virtual bool is_shareable() const { return false; }
  bool has_encoder() const { return inputs_.encoder.encoder != nullptr; }

  /// All of the examples are encoded by the encoder as it is; `random` is the epoch's.
  StepStats learn(std::span<const std::uint32_t> examples, float rate, const CounterRandom& random,
                  Scratch& scratch);

 protected:
  struct OnlineExample {
    RowView row;
    ClassId label;
    float weight;  // above 0
    float rate;
    /// Where its rows add their pull on the row's values; null: nothing is there to be pulled.
    float* input_steps;
  };
  /// Adds what it found before it learned: the weighted loss, whether the label was a candidate,
  /// and how many rows it scored.
  virtual void learn_example(const OnlineExample& example, Scratch& scratch, StepStats& totals) = 0;

 private:
  OnlineInputs inputs_;
  RowScaling scaling_;
};

}  // namespace cane
