#pragma once

#include <string>

namespace cane::cli {

/// A field of a CSV file (RFC 4180), quoted where it must be.
std::string csv_field(const std::string& text);

}  // namespace cane::cli
