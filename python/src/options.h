// Options as Python dictionaries, by the field lists of the library: {name: value}, where None
// stands for what the library chooses. A missing name has its default.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cane/error.h"
#include "cane/fields.h"
#include "cane/names.h"

namespace cane::python {

namespace nb = nanobind;

/// Converts a value of Python's to the type of a member. Throws TypeError's exception for a value
/// of another kind, and OptionError for one that the type cannot hold.
template <typename Value>
void read_value(const Field& field, nb::handle value, Value& member) {
  const auto refuse = [&](const char* wanted) {
    throw nb::type_error((std::string("`") + field.name + "`: it takes " + wanted + ", not " +
                          nb::cast<std::string>(nb::str(value.type().attr("__name__"))))
                             .c_str());
  };
  if constexpr (std::is_enum_v<Value>) {
    if (!nb::isinstance<nb::str>(value)) refuse("a string");
    member = value_named<Value>(field.name, nb::cast<std::string>(value));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    if (!nb::isinstance<nb::str>(value)) refuse("a string");
    member = nb::cast<std::string>(value);
  } else if constexpr (std::is_same_v<Value, bool>) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) throw nb::python_error();
    member = truth == 1;
  } else if constexpr (std::is_same_v<Value, CharNgrams>) {
    member = {nb::cast<std::uint32_t>(value[0]), nb::cast<std::uint32_t>(value[1])};
  } else if constexpr (std::is_same_v<Value, std::vector<std::uint32_t>>) {
    member.clear();
    for (nb::handle one : value) member.push_back(nb::cast<std::uint32_t>(one));
  } else if constexpr (std::integral<Value>) {
    // Whole numbers of NumPy are no int, but can stand for one.
    const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
    if (!whole.is_valid()) {
      PyErr_Clear();
      refuse("a whole number");
    }
    if (!nb::try_cast<Value>(whole, member)) {
      throw OptionError(field.name,
                        "the number " + nb::cast<std::string>(nb::str(whole)) + " is out of range");
    }
  } else {
    static_assert(std::is_floating_point_v<Value>);
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse("a number");
    }
    member = static_cast<Value>(number);
  }
}

template <typename Value>
bool is_automatic(const Field& field, const Value& member) {
  if constexpr (std::is_same_v<Value, CharNgrams>) return member == CharNgrams::automatic();
  if constexpr (std::is_arithmetic_v<Value>) {
    return field.automatic && static_cast<double>(member) == *field.automatic;
  }
  return false;
}

template <typename Value>
void set_automatic(const Field& field, Value& member) {
  if constexpr (std::is_same_v<Value, CharNgrams>) {
    member = CharNgrams::automatic();
  } else if constexpr (std::is_arithmetic_v<Value>) {
    if (field.automatic) member = static_cast<Value>(*field.automatic);
  }
}

/// The value for Python; None: automatic.
template <typename Value>
nb::object write_value(const Field& field, const Value& member) {
  if (is_automatic(field, member)) return nb::none();
  if constexpr (std::is_enum_v<Value>) {
    return nb::cast(std::string(name_of(member)));
  } else if constexpr (std::is_same_v<Value, CharNgrams>) {
    return nb::make_tuple(member.min, member.max);
  } else if constexpr (std::is_same_v<Value, std::vector<std::uint32_t>>) {
    nb::list numbers;
    for (const std::uint32_t number : member) numbers.append(number);
    return numbers;
  } else if constexpr (std::is_same_v<Value, float>) {
    // The shortest decimal of the float, not the digits of the nearest double: 0.75, 1e-05.
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, member).ptr;
    double number = 0.0;
    std::from_chars(text, end, number);
    return nb::cast(number);
  } else {
    return nb::cast(member);
  }
}

/// Options from a dictionary. Throws OptionError for a name that is no field.
template <typename Options>
Options read_options(const nb::dict& given) {
  Options options;
  std::set<std::string> known;
  visit_fields(options, [&](const Field& field, auto& member) {
    known.insert(field.name);
    if (!given.contains(field.name)) return;
    const nb::object value = given[field.name];
    const bool is_auto = value.is_none() || (!std::is_enum_v<std::decay_t<decltype(member)>> &&
                                             nb::isinstance<nb::str>(value) && field.automatic &&
                                             nb::cast<std::string>(value) == "auto");
    is_auto ? set_automatic(field, member) : read_value(field, value, member);
    // None stands for automatic, and no number.
    if (!is_auto && std::is_arithmetic_v<std::decay_t<decltype(member)>> &&
        is_automatic(field, member)) {
      throw OptionError(field.name, "it is out of range", "None stands for automatic");
    }
  });
  for (const auto& [name, value] : given) {
    const auto text = nb::cast<std::string>(name);
    if (!known.contains(text)) throw OptionError(text, "there is no such option");
  }
  return options;
}

template <typename Options>
nb::dict write_options(const Options& options) {
  nb::dict written;
  visit_fields(options, [&](const Field& field, const auto& member) {
    written[field.name] = write_value(field, member);
  });
  return written;
}

/// Binds the lists of options and measures, and the tables of methods, selectors and the like.
void bind_options(nb::module_& module);

}  // namespace cane::python
