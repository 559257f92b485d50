// What ranks must agree on before they train together: that they compute alike, and how they share
// the work.
#pragma once

#include "cane/config.h"
#include "cane/dataset.h"
#include "core/parallel/communicator.h"

namespace cane {

/// Ranks compute trees, start weights and updates each for itself, and rely on getting the same
/// bits. Throws Error if their processors do not have the same instructions. All ranks call it.
void check_processors(Communicator& ranks);

/// Whether the classes are shared out, and not the examples: if the options say so or, where they
/// leave it open, if the checkpoint that is resumed was written so, or the
/// weights of all classes do not fit some machine with all of its ranks. `is_further`: a finished
/// model is trained on. All ranks call it with the same arguments. Throws OptionError where it
/// cannot be.
bool shares_classes(const TrainConfig& config, const Dataset& data, bool is_further,
                    Communicator& ranks);

}  // namespace cane
