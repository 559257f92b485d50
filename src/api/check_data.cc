#include "api/check_data.h"

#include "cane/error.h"
#include "data/loaded_data.h"

namespace cane {

void check_dimension(const Model& model, const Dataset& data) {
  if (data.dimension() == model.dimension()) return;
  throw Error(
      "the data was not read through this model's features; read it with "
      "Dataset::load(path, model)");
}

void check_data_of_model(const Model& model, const Dataset& data) {
  check_dimension(model, data);
  if (data.data().vocabulary.labels == model.labels()) return;
  throw Error(
      "the data was not read through this model's labels; read it with "
      "Dataset::load(path, model)");
}

}  // namespace cane
