#include "cane/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "api/check_data.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cane/names.h"
#include "core/base/field_text.h"
#include "data/loaded_data.h"
#include "engine/calibrate_model.h"

namespace cane {

CalibrateResult calibrate(const Model& model, const Dataset& data,
                          const CalibrateOptions& options) {
  check_data_of_model(model, data);
  check_fields(options);
  if (!model.has_probabilities()) {
    throw Error(
        fmt::format("{} has no probabilities to calibrate", name_of(model.config().method)));
  }
  if (options.probability == Probability::kNone) {
    throw OptionError("probability", "there is nothing to calibrate without probabilities",
                      "use auto, exact or estimate");
  }
  if (!can_calibrate(model.data(), data.data().view)) {
    throw Error(
        fmt::format("{} examples are too few to calibrate on; {} are needed, and a few "
                    "hundred are better",
                    data.size(), kLeastToCalibrate));
  }
  const std::span<const ClassId> labels = data.data().view.labels();
  const std::size_t unknown = static_cast<std::size_t>(std::ranges::count(labels, kUnknownClass));
  if (labels.size() - unknown < kLeastToCalibrate) {
    throw Error(fmt::format(
        "{} of {} examples have labels that the model does not know, so every answer to them would "
        "count as wrong; give data with the labels of the training",
        unknown, labels.size()));
  }
  ThreadPool pool(options.threads);
  CalibrateResult result = calibrate_model(model.data(), data.data().view, options, pool);
  check_file(model.data());
  return result;
}

}  // namespace cane
