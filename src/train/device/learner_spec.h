// Builds the LearnerSpec of a model and its data.
#pragma once

#include <cstdint>
#include <vector>

#include "data/rows/dataset_view.h"
#include "device/learner.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// A spec, with the arrays that it points to.
class SpecOfModel {
 public:
  SpecOfModel(const ModelData& model, const DatasetView& data);
  SpecOfModel(const SpecOfModel&) = delete;
  SpecOfModel& operator=(const SpecOfModel&) = delete;

  /// `keeps_data`: all examples lie on the device; if false, batches are streamed.
  device::LearnerSpec spec(bool keeps_data) const;
  /// The same, with the rates of the state's tables.
  device::LearnerSpec spec(bool keeps_data, const TrainState& state) const;

 private:
  void flatten_tree();

  const ModelData& model_;
  const DatasetView& data_;
  std::uint64_t batch_values_ = 0;
  std::vector<std::uint32_t> first_children_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint32_t> leaf_classes_;
  std::vector<std::uint32_t> leaves_;
  std::vector<double> noise_masses_;
};

/// The most values that any `batch` examples of sparse data have together.
std::uint64_t most_values(const DatasetView& data, std::size_t batch);

}  // namespace cane
