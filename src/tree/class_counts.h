// How often the classes occur, and the order that follows from it: what the trees and noise laws
// that go by frequency start from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.h"
#include "data/dataset_view.h"

namespace cane {

/// The weight of the examples of each class, 1 each where there are no weights. Examples without a
/// class are passed over.
std::vector<double> class_counts(const DatasetView& data, std::uint32_t classes);

/// The classes from the most to the least frequent, of equal ones the lower first.
std::vector<ClassId> frequency_order(std::span<const double> counts);

}  // namespace cane
