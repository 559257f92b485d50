// The exceptions of the library in Python: Error, and OptionError with the parts of its message.
#include "cane/error.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"

namespace cane::python {
namespace {

// Exceptions are module attributes that live as long as the interpreter.
nb::handle option_error_type;

void set_option_error(const OptionError& error) {
  nb::object raised = nb::borrow(option_error_type)(error.what());
  raised.attr("field") = error.field();
  raised.attr("problem") = error.problem();
  raised.attr("remedy") = error.remedy();
  PyErr_SetObject(option_error_type.ptr(), raised.ptr());
}

}  // namespace

void bind_errors(nb::module_& module) {
  // Later translators are asked first.
  const nb::exception<Error> error(module, "Error");
  nb::exception<NonFiniteError>(module, "NonFiniteError", error);
  nb::exception<Interrupted>(module, "Interrupted", error);
  nb::exception<DeviceError>(module, "DeviceError", error);
  module.attr("OptionError") =
      nb::steal(PyErr_NewException("cane._core.OptionError", error.ptr(), nullptr));
  option_error_type = nb::object(module.attr("OptionError")).release();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const OptionError& caught) {
      set_option_error(caught);
    }
  });
}

}  // namespace cane::python
