// An Evaluation as a dictionary.
#pragma once

#include <nanobind/nanobind.h>

#include "cane/predict.h"

namespace cane::python {

namespace nb = nanobind;

nb::dict write_evaluation(const Evaluation& evaluation);

}  // namespace cane::python
