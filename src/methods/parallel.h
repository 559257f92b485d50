// What ranks that train together can share; the check over the resolved options refuses the rest.
#pragma once

#include <cstdint>

#include "cane/config.h"
#include "methods/resolve.h"

namespace cane {

/// Throws OptionError naming what several ranks cannot train and what to use instead. All options
/// are resolved.
void check_ranks_can_share(const TrainConfig& config);

/// The options of ranks that divide the classes: what is open is what they can train. Throws
/// OptionError if they ask for anything else.
TrainConfig options_for_classes(TrainConfig asked);
/// Whether that is possible.
bool can_share_classes(const TrainConfig& asked, const DataFacts& facts);

/// Whether all examples change the same weights, those of an encoder or of the upper nodes of a
/// tree. Steps at old weights then do harm: ranks that exchanged weights after 16 examples each
/// have cost `hsm` 4 points of accuracy, and beam search over paths 1.3. All options are resolved.
bool steps_meet(const TrainConfig& config);

/// The batch of ranks that take batches of their own, where it is left open: smaller than usual
/// where there are few classes for so many ranks, since each takes one between two exchanges, at
/// weights that lack the steps of the others. 8 ranks with batches of 16 lose 0.4 points on the
/// 1,000 classes of ALOI, with batches of 7 half of that. Otherwise what was asked for.
std::uint32_t batch_of_ranks(const TrainConfig& asked, const DataFacts& facts, int ranks);

/// Whether ranks that share the examples compute every batch together, and do not take batches of
/// their own. All options are resolved.
inline bool shares_slices(const TrainConfig& config) {
  return config.deterministic || steps_meet(config);
}

}  // namespace cane
