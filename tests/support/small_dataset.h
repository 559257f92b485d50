// SmallData as a Dataset, whose labels are the numbers of the classes.
#pragma once

#include <memory>
#include <string>

#include "cane/dataset.h"
#include "data/loaded_data.h"
#include "support/small_data.h"

namespace cane::testing {

inline Dataset small_dataset(const SmallDataOptions& options) {
  const auto data = std::make_shared<const SmallData>(options);
  LoadedData loaded;
  loaded.view = data->view();
  loaded.vocabulary.dimension = options.dimension;
  for (std::uint32_t k = 0; k < options.classes; ++k) {
    loaded.vocabulary.labels.push_back(std::to_string(k));
  }
  loaded.storage = data;
  return Dataset(std::make_shared<const LoadedData>(std::move(loaded)));
}

}  // namespace cane::testing
