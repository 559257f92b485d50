// The parts of the module, a file each.
#pragma once

#include <nanobind/nanobind.h>

namespace cane::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_options(nb::module_& module);
void bind_dataset(nb::module_& module);
void bind_model(nb::module_& module);
void bind_model_parts(nb::module_& module);
void bind_predictor(nb::module_& module);
void bind_training(nb::module_& module);

}  // namespace cane::python
