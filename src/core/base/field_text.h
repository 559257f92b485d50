// Fields as text: how values are written and parsed, and which values are accepted. Numbers are
// written with the fewest digits that parse back to the same number.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cane/data_options.h"
#include "cane/error.h"
#include "cane/field.h"
#include "cane/names.h"
#include "core/base/words.h"

namespace cane {

/// "hash-bits": the name in files, and in programs unless the row spells it otherwise.
std::string dashed_name(const Field& field);
/// The flag without its leading dashes.
std::string flag_name(const Field& field);
/// "from 1 to 64", "above 0, or auto"; empty: any number.
std::string range_text(const Field& field);
/// Message for a file with an option or a value that this version does not know. `writer` is the
/// program that wrote it, for example "cane 0.3.0", and `what` is the unknown item.
std::string newer_text(const std::string& writer, const std::string& what);
/// Throws OptionError with this name unless the number is in the range or means auto.
void check_number(const Field& field, double number, const char* what = "it");

std::string char_ngrams_text(const CharNgrams& lengths);
std::vector<std::uint32_t> parse_numbers(const Field& field, const std::string& text);
CharNgrams parse_char_ngrams(const Field& field, const std::string& text);
bool parse_bool(const Field& field, const std::string& text);

template <typename T>
bool is_automatic(const Field& field, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return field.automatic && static_cast<double>(value) == *field.automatic;
  } else {
    return false;
  }
}

/// Accepted values: "N", "X|auto", "none|l2", "FILE"; empty for a boolean.
template <typename T>
std::string values_text(const Field& field) {
  if (*field.values != '\0') return field.values;
  if constexpr (std::is_same_v<T, bool>) {
    return "";
  } else if constexpr (std::is_enum_v<T>) {
    return names_of<T>();
  } else if constexpr (std::is_same_v<T, CharNgrams>) {
    return "MIN-MAX|ends|none|auto";
  } else if constexpr (std::is_same_v<T, std::vector<std::uint32_t>>) {
    return "K,K,...";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "NAME";
  } else {
    const char* const number = std::is_integral_v<T> ? "N" : "X";
    return field.automatic ? fmt::format("{}|auto", number) : number;
  }
}

template <typename T>
std::string value_text(const Field& field, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else if constexpr (std::is_same_v<T, CharNgrams>) {
    return char_ngrams_text(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::uint32_t>>) {
    return fmt::format("{}", fmt::join(value, ","));
  } else {
    return is_automatic(field, value) ? "auto" : fmt::format("{}", value);
  }
}

/// Throws OptionError on a value out of the field's range.
template <typename T>
void check_value(const Field& field, const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    check_number(field, static_cast<double>(value));
  } else if constexpr (std::is_same_v<T, std::vector<std::uint32_t>>) {
    for (const std::uint32_t number : value) check_number(field, number, "each number");
  }
}

/// Throws OptionError if the text is not a valid value of the field.
template <typename T>
T parse_value(const Field& field, const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    return parse_bool(field, text);
  } else if constexpr (std::is_enum_v<T>) {
    return value_named<T>(field.name, text);
  } else if constexpr (std::is_same_v<T, CharNgrams>) {
    return parse_char_ngrams(field, text);
  } else if constexpr (std::is_same_v<T, std::vector<std::uint32_t>>) {
    return parse_numbers(field, text);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else {
    if (field.automatic && text == "auto") return static_cast<T>(*field.automatic);
    const T value = parse_number<T>(field.name, text);
    check_value(field, value);
    // Only the text "auto" means auto: the number that represents it is internal.
    if (is_automatic(field, value)) {
      throw OptionError(field.name, fmt::format("it must be {}", range_text(field)));
    }
    return value;
  }
}

/// Sets the field of this name, written with dashes, to the value of the text; returns whether
/// there is such a field. Throws OptionError as parse_value does.
template <typename Options>
bool set_field(Options& options, std::string_view name, const std::string& text) {
  bool is_there = false;
  visit_fields(options, [&](const Field& field, auto& value) {
    if (dashed_name(field) != name) return;
    value = parse_value<std::decay_t<decltype(value)>>(field, text);
    is_there = true;
  });
  return is_there;
}

/// Throws OptionError on the first field that is out of its range, or more than one may ask for.
template <typename Options>
void check_fields(const Options& options) {
  visit_fields(options, [](const Field& field, const auto& value) {
    check_value(field, value);
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      if (static_cast<double>(value) <= field.most_asked) return;
      throw OptionError(field.name, fmt::format("{} is out of range", value),
                        fmt::format("it must be {:g} or less", field.most_asked));
    }
  });
}

/// "`batch`, `lr`": the stored fields in which two configurations differ; empty if there are none.
template <typename Options>
std::string differing_fields(const Options& a, const Options& b) {
  std::map<std::string_view, std::string> values;
  visit_fields(a, [&](const Field& field, const auto& value) {
    if (field.stored) values[field.name] = value_text(field, value);
  });
  visit_fields(b, [&](const Field& field, const auto& value) {
    if (field.stored && values[field.name] == value_text(field, value)) values.erase(field.name);
  });
  std::string names;
  for (const auto& [name, value] : values) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
  }
  return names;
}

}  // namespace cane
