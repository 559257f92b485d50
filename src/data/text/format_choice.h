// Settles the format of a text from its first lines, and the parser that goes with it.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "cane/data_options.h"
#include "data/text/block_reader.h"
#include "data/text/line_parser.h"

namespace cane {

struct FormatChoice {
  Format format = Format::kAuto;
  std::optional<XmcHeader> header;  // Format::kXmc only
  /// What was read to find out, to be parsed first; a header in it is blanked out.
  std::deque<TextBlock> blocks;

  LineParser line_parser() const;
};

/// Throws Error if the text is empty or its format cannot be told; `name` is for messages.
FormatChoice choose_format(const std::string& name, Format wanted, BlockReader& reader);

}  // namespace cane
