// Base of the online trees, which learn example by example, each at the weights left by the
// previous one. The trainer passes it the batches of an epoch in order; examples of a batch are not
// combined.
//
// With an encoder it also computes the gradient of its rows in their input, backpropagated to the
// tables of the encoder. The trainer applies these steps.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/weights/row_scaling.h"
#include "step/encoded_rows.h"
#include "step/step_worker.h"
#include "train/steps/example_worker.h"

namespace cane {

/// The inputs of an online tree.
struct OnlineInputs {
  const DatasetView* data;
  EncoderParts encoder;                   // the class table is not used
  std::span<const float> feature_scales;  // empty with an encoder, which scales its own units
  bool dense;                             // rows are expanded to dense
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
    std::vector<float> input_steps;        // for every row, if there is an encoder
    std::vector<TableGradient> gradients;  // in the encoder, from the last call
  };

  /// Everything that `inputs` refers to must outlive the object.
  explicit OnlineLearner(const OnlineInputs& inputs)
      : inputs_(inputs), scaling_(inputs.feature_scales) {}
  virtual ~OnlineLearner() = default;

  bool has_encoder() const { return inputs_.encoder.encoder != nullptr; }

  /// All examples are encoded with the current encoder weights; `random` is the generator of the
  /// epoch.
  StepStats learn(std::span<const std::uint32_t> examples, float rate, const CounterRandom& random,
                  Scratch& scratch);

 protected:
  struct OnlineExample {
    RowView row;
    ClassId label;
    float weight;  // above 0
    float rate;
    /// Receives the steps in the values of the row; null: not needed.
    float* input_steps;
  };
  /// Trains on an example. Adds the statistics from before the update: the weighted loss, whether
  /// the label was a candidate, and the number of rows scored.
  virtual void learn_example(const OnlineExample& example, Scratch& scratch, StepStats& totals) = 0;

 private:
  OnlineInputs inputs_;
  RowScaling scaling_;
};

/// One thread of a training.
class OnlineThread final : public ExampleWorker {
 public:
  explicit OnlineThread(std::shared_ptr<OnlineLearner> learner)
      : learner_(std::move(learner)), scratch_(*learner_) {}

  std::size_t most_examples() const override {
    return learner_->has_encoder() ? 1 : std::numeric_limits<std::size_t>::max();
  }
  StepStats learn(std::span<const std::uint32_t> examples, float rate,
                  const CounterRandom& random) override {
    return learner_->learn(examples, rate, random, scratch_);
  }
  std::span<const TableGradient> gradients() const override { return scratch_.gradients; }

 private:
  std::shared_ptr<OnlineLearner> learner_;
  OnlineLearner::Scratch scratch_;
};

}  // namespace cane
