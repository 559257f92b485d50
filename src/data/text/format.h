// Which text format a file is in.
#pragma once

#include <optional>
#include <string_view>

#include "cane/data_options.h"

namespace cane {

/// The format that a line shows, if it shows one: a line that holds only a label could be of
/// several. `is_first`: no line but blank ones came before it.
std::optional<Format> recognise_line(std::string_view line, bool is_first);

inline bool has_words(Format format) {
  return format == Format::kVw || format == Format::kFastText;
}

}  // namespace cane
