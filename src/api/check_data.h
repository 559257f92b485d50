// Checks that data was read through a model.
#pragma once

#include "cane/dataset.h"
#include "cane/model.h"

namespace cane {

/// Throws Error unless the features of the data are those of the model.
void check_dimension(const Model& model, const Dataset& data);
/// The same for features and labels.
void check_data_of_model(const Model& model, const Dataset& data);

}  // namespace cane
