// The work that every verb that trains a model shares: read, train, show progress, save.
#pragma once

#include <optional>

#include "app/json_lines.h"
#include "app/options.h"
#include "cane/dataset.h"
#include "cane/model.h"
#include "cli/cane/train_options.h"

namespace cane::cli {

struct TrainingData {
  Dataset train;
  std::optional<Dataset> valid = std::nullopt;
  std::optional<Model> finished = std::nullopt;  // what to continue from
};

/// Returns the exit code. `options` belong to `train`, for the log; `cane train` with
/// `arguments` is a command that can be resumed. The first of several ranks saves the model.
int train_and_save(const TrainOptions& train, const Options& options, const Arguments& arguments,
                   const TrainingData& data, JsonLines& log, const Ranks& ranks = Ranks());

}  // namespace cane::cli
