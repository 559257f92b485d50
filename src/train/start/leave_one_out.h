// Scores against class means that an example had no part in. The mean of a class of a few examples
// lies near each of them, so an example that is scored against its own class looks better explained
// than an unseen one would be. Leaving it out makes a measure on training data honest.
#pragma once

#include <optional>

#include "core/base/row_view.h"

namespace cane {

/// Products of an example x and the mean mu of its class.
struct OwnProducts {
  double x_x;
  double x_mean;
  double mean_mean;
};

/// What the score x . mu - |mu|^2 / 2 of the example `row` for its own class changes by if the
/// example, of weight `weight`, is left out of the mean `centre` of the class, of total weight
/// `class_weight`. Nothing if no other example of the class remains.
std::optional<float> leave_one_out_change(const RowView& row, const RowView& centre, double weight,
                                          double class_weight);
std::optional<float> leave_one_out_change(const OwnProducts& products, double weight,
                                          double class_weight);

}  // namespace cane
