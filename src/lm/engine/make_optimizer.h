// The optimiser of a model: its dense parameters, and its tables by rows.
#pragma once

#include "lm/engine/language_model.h"
#include "lm/engine/optimizer.h"

namespace cane::lm {

/// Throws Error where its moments do not fit into memory.
RowOptimizer make_optimizer(const LanguageModel& model, const TrainOptions& options);

}  // namespace cane::lm
