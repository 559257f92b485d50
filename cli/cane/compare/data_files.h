// A comparison for programs: CSV and JSON. docs/file-formats.md says what is in them.
#pragma once

#include <string>

#include "app/json.h"
#include "cli/cane/compare/comparison.h"

namespace cane::cli {

/// What results.json begins with, whoever looks for files of ours.
inline constexpr const char* kJsonMark = "cane compare";

std::string results_csv(const Comparison& comparison);
std::string curves_csv(const Comparison& comparison);
JsonObject as_json(const Comparison& comparison);

}  // namespace cane::cli
