// cane._core: the library for Python, through its public headers alone. Thin on purpose: what users
// see is written in Python, over this.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "cane/version.h"

NB_MODULE(_core, module) {
  using namespace cane::python;
  module.doc() = "The C++ library of cane; use the package cane.";
  module.def("version", &cane::version);
  module.def("instruction_set", &cane::instruction_set);
  bind_errors(module);
  bind_options(module);
  bind_dataset(module);
  bind_model(module);
  bind_model_parts(module);
  bind_predictor(module);
  bind_training(module);
}
