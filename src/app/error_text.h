// Rewrites the library's messages about options for users of a program: the library names fields,
// "`hash_bits 2`"; the program names its flags, "--hash-bits 2".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/base/field_text.h"

namespace cane::cli {

/// Maps the name of a field to its spelling on the command line.
using FlagNames = std::map<std::string, std::string, std::less<>>;

template <typename Options>
void add_flag_names(FlagNames& names) {
  const Options defaults;
  visit_fields(defaults, [&](const Field& field, const auto&) {
    names.emplace(field.name, "--" + flag_name(field));
  });
}

/// The names of the options in cane/fields.h. A program adds its own lists before any message is
/// shown.
FlagNames& known_flags();

/// The text with every known field between backquotes, alone or with a value, spelled as a flag.
/// Other text between backquotes is unchanged.
std::string with_flags(std::string_view text);

}  // namespace cane::cli
