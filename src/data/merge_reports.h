// What several ranks found when each read its part of a file, as one reader of it would say it.
#pragma once

#include "cane/dataset.h"
#include "core/parallel/communicator.h"

namespace cane {

/// Counts are added, and of what is told by example the first of the file is kept. Warnings, notes
/// and where the data came from stay as they are. All ranks call it.
void merge_reports(Communicator& ranks, ReadReport& report);

}  // namespace cane
