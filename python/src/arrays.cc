#include "arrays.h"

#include <nanobind/stl/string.h>

namespace cane::python {

std::shared_ptr<const void> keep_alive(std::vector<nb::object> objects) {
  return {new std::vector<nb::object>(std::move(objects)), [](const std::vector<nb::object>* kept) {
            // After the end of the interpreter there is nothing to give back.
            if (!Py_IsInitialized()) return;
            const nb::gil_scoped_acquire locked;
            delete kept;
          }};
}

PythonTexts::PythonTexts(const nb::handle& list)
    : strings(nb::steal<nb::tuple>(PySequence_Tuple(list.ptr()))) {
  if (!strings.is_valid()) throw nb::python_error();
  views.reserve(strings.size());
  for (nb::handle text : strings) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) throw nb::python_error();
    views.emplace_back(bytes, static_cast<std::size_t>(size));
  }
}

void GivenLabels::add_to(Examples& examples, std::vector<nb::object>& kept) const {
  examples.labels = labels;
  if (classes) {
    examples.classes = span_of(*classes);
    kept.push_back(nb::cast(*classes));
  }
  if (weights) {
    examples.weights = span_of(*weights);
    kept.push_back(nb::cast(*weights));
  }
}

SparseRows sparse_rows(const AnyNumbers& indptr, const AnyNumbers& indices, const Floats& values,
                       std::size_t columns) {
  return {whole_numbers<std::uint64_t>(indptr, "indptr"),
          whole_numbers<std::uint32_t>(indices, "indices"), span_of(values), columns};
}

}  // namespace cane::python
