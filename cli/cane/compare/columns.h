// What is measured of a method: the one list behind the table, the CSV, the JSON and the page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/cane/compare/comparison.h"

namespace cane::cli {

struct Column {
  bool in_table;  // of the terminal; the others are in the files only
  const char* heading;
  const char* name;     // in CSV and JSON
  const char* meaning;  // for people who have not met it
  bool less_is_better;
  std::optional<double> (*value)(const MethodResult& result);
  std::string (*text)(double value);
};

std::span<const Column> columns();
std::vector<Column> columns_in_table(bool in_table);

/// As people read it; empty where there is no value.
std::string text_of(const Column& column, const MethodResult& result);
/// As programs read it; empty where there is no value.
std::string exact_text_of(const Column& column, const MethodResult& result);

/// Aligned text, a line for each method.
std::string as_table(const Comparison& comparison);

}  // namespace cane::cli
