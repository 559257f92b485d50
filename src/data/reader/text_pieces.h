// Files, or parts of files, read as one text: each ends with a line end, and a message about a line
// names the file that it is in.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file/file_range.h"
#include "core/file/text_source.h"
#include "data/text/reading_progress.h"
#include "data/text/text_format.h"

namespace cane {

struct TextPiece {
  std::string path;
  std::size_t member = 0;               // its number among the files of the text
  std::optional<FileRange> range = {};  // of a plain file; nothing: all of it, decompressed
};

/// The row of column names that files of a table begin with, if it was found in one of them.
struct RepeatedHeader {
  HeaderLines lines;
  char separator = '\0';   // of its fields; '\0': unknown
  std::size_t member = 0;  // which has it
  bool is_kept = false;    // in that member

  /// Whether another member, which begins so, begins with this row. Throws Error if it has the same
  /// columns in another order; `path` is for the message.
  bool begins(std::string_view start, const std::string& path) const;
};

/// Reads the pieces one after the other, and opens each when it comes to it. Byte-order marks and
/// headers are left out. Throws Error if one is damaged, is no text or was written by these
/// programs for another purpose.
std::unique_ptr<TextSource> open_pieces(std::vector<TextPiece> pieces, RepeatedHeader header,
                                        std::shared_ptr<PieceLines> lines);

}  // namespace cane
