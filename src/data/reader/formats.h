// The list of text formats, and the choice of one for a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "data/text/block_reader.h"
#include "data/text/text_format.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// Returns the row of a text format; throws Error for other formats.
const TextFormat& text_format(Format format);
/// Returns the first format that recognises the line; null if it is ambiguous, such as a line with
/// only a label.
const TextFormat* recognise_line(std::string_view line, bool is_first);
/// The default format, given a vocabulary, of lines that show none: words, or index:value.
const TextFormat& fallback_format(const Vocabulary& known);

/// The format that the name of a file tells, its compression's ending not counted; else kAuto.
Format format_of_name(const std::string& path);

struct FormatSearch {
  Format wanted = Format::kAuto;
  /// Number of lines to examine, not counting blank ones.
  std::uint64_t max_lines = 16;
  /// The vocabulary through which the text is read; may be null.
  const Vocabulary* known = nullptr;
  /// For the columns of a table.
  DataOptions options = {};
};

/// `read`: the beginning of the text, where the reader has given it. Throws Error if the text is
/// empty or its format is ambiguous; `name` is used in messages.
FormatChoice choose_format(const std::string& name, const FormatSearch& search, BlockReader& reader,
                           std::vector<TextBlock> read = {});

}  // namespace cane
