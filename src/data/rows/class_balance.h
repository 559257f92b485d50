// Examples that count by how rare their class is.
#pragma once

#include "cane/dataset.h"

namespace cane {

/// The same examples with weights such that all classes that have examples weigh the same, and all
/// together as much as before. Features are shared, not copied.
Dataset balance_classes(const Dataset& data);

}  // namespace cane
