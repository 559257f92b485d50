// Maps the tables of a model to those of a learner on a device: which is which, and how weights and
// the sums of AdaGrad move between them.
#pragma once

#include <vector>

#include "core/base/thread_pool.h"
#include "device/learner.h"
#include "linear/weights/row_major.h"
#include "model/model_data.h"
#include "train/train_state.h"

namespace cane {

/// A table of the model, and the one of the learner that has its weights.
struct LearnerTable {
  std::size_t index;  // in the model's list
  device::Table table;
  const ClassTree* tree = nullptr;  // if its rows belong to nodes
  std::uint32_t embedding = 0;      // dimensions of an embedding; 0: rows of classes or nodes
};

/// The tables that a learner trains. The model must outlive the result.
std::vector<LearnerTable> learner_tables(const ModelData& model);

/// Number of weights of a table as the learner has it, without padding.
std::size_t size_of(const ModelData& model, const LearnerTable& table);

void upload_state(device::Learner& learner, const ModelData& model, const TrainState& state,
                  ThreadPool& pool);
void download_state(device::Learner& learner, const ModelData& model, TrainState& state,
                    ThreadPool& pool);

}  // namespace cane
