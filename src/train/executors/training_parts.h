// The parts of a method that an executor of the processor uses.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/rows/dataset_view.h"
#include "linear/weights/parameter_table.h"
#include "search/selector.h"
#include "step/step_worker.h"
#include "step/team_memory.h"
#include "train/steps/example_worker.h"

namespace cane {

struct TrainingParts {
  const std::vector<ParameterTable>* tables;
  std::function<std::unique_ptr<StepWorker>()> make_worker;
  /// Replaces make_worker.
  std::function<std::unique_ptr<ExampleWorker>()> make_example_worker;
  Selector* refreshed = nullptr;  // a selector that keeps a copy of the weights
  std::optional<TeamParts> team;  // replaces make_worker: a batch lists its classes together
};

}  // namespace cane
