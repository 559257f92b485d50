// What ranks that train together can share; the check over the resolved options refuses the rest.
#pragma once

#include "cane/config.h"

namespace cane {

/// Throws OptionError naming what several ranks cannot train and what to use instead. All options
/// are resolved.
void check_ranks_can_share(const TrainConfig& config);

/// Whether all examples change the same weights, those of an encoder or of the upper nodes of a
/// tree. Steps at old weights then do harm: ranks that exchanged weights after 16 examples each
/// have cost `hsm` 4 points of accuracy, and beam search over paths 1.3. All options are resolved.
bool steps_meet(const TrainConfig& config);

/// Whether ranks that share the examples compute every batch together, and do not take batches of
/// their own. All options are resolved.
inline bool shares_slices(const TrainConfig& config) {
  return config.deterministic || steps_meet(config);
}

}  // namespace cane
