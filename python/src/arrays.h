// Arrays of NumPy, in and out, and what keeps them alive while the library uses them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/examples.h"

namespace cane::python {

namespace nb = nanobind;

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Indices and offsets of SciPy's sparse rows: signed or unsigned, which is the same for what is
/// never below zero.
using AnyNumbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ClassesOut = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using FloatsOut = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span_of(
    const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& a) {
  return {a.data(), a.shape(0)};
}

/// Throws TypeError's exception unless the elements have the size of T and are whole numbers.
template <typename T>
std::span<const T> whole_numbers(const AnyNumbers& numbers, const char* name) {
  const auto code = static_cast<nb::dlpack::dtype_code>(numbers.dtype().code);
  const bool is_whole = code == nb::dlpack::dtype_code::Int || code == nb::dlpack::dtype_code::UInt;
  if (!is_whole || numbers.dtype().bits != 8 * sizeof(T)) {
    throw nb::type_error(
        (std::string(name) + " must be whole numbers of " + std::to_string(8 * sizeof(T)) + " bits")
            .c_str());
  }
  return {static_cast<const T*>(numbers.data()), numbers.shape(0)};
}

/// Copies a vector into an array of NumPy.
template <typename T, typename... Shape>
nb::object array_of(std::vector<T> values, Shape... shape) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, T>(kept->data(), {static_cast<std::size_t>(shape)...}, owner));
}

/// Python objects that a dataset stands on. They are let go with the interpreter locked, whichever
/// thread does it.
std::shared_ptr<const void> keep_alive(std::vector<nb::object> objects);

/// The texts of a list of strings. The views are valid as long as the tuple, which has the strings.
struct PythonTexts {
  explicit PythonTexts(const nb::handle& list);
  nb::tuple strings;
  std::vector<std::string_view> views;
};

/// Labels and weights of training examples as Python gives them.
struct GivenLabels {
  std::optional<Numbers> classes;
  std::vector<std::string> labels;
  std::optional<Floats> weights;

  /// Adds them to the examples, and what keeps them alive.
  void add_to(Examples& examples, std::vector<nb::object>& kept) const;
};

/// Sparse rows; the arrays must be kept alive.
SparseRows sparse_rows(const AnyNumbers& indptr, const AnyNumbers& indices, const Floats& values,
                       std::size_t columns);

}  // namespace cane::python
