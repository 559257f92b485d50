// Text that is safe inside a format of others.
#pragma once

#include <string>
#include <string_view>

namespace cane::cli {

/// Escapes text for text or attributes of XML and HTML. Characters that XML cannot hold become '?'.
std::string escaped(std::string_view text);

/// A field of a CSV file (RFC 4180), quoted where it must be.
std::string exact_csv_field(const std::string& text);
/// The same for people: an apostrophe goes before what a spreadsheet would take for a formula.
std::string csv_field(const std::string& text);

}  // namespace cane::cli
