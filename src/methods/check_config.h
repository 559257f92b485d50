// Which options contradict one another. What a single option may be is in its row of cane/fields.h:
// check_fields() refuses the rest, and so does the reader of a model file.
#pragma once

#include "cane/config.h"

namespace cane {

/// Rejects options that no training run can work with, before any work is done. Throws Error naming
/// the option.
void check_config(const TrainConfig& config);

/// Describes what contradicts in the options of a stored model; null if scoring and searching can
/// use them safely. resolve() only makes options without contradictions, but a file may contain
/// anything.
const char* validation_error(const TrainConfig& config);

}  // namespace cane
