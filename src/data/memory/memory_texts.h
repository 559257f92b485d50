// Texts in memory, read as the lines of a file are. A line begins with a mark, so that an empty
// text remains an example; it has no label, which the caller has beside the texts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/file/text_source.h"
#include "data/text/text_format.h"

namespace cane {

/// The format of these lines: a mark, then words.
const TextFormat& marked_text_format();

/// Appends a text as such a line. Line ends and control characters become blanks.
void append_marked_line(std::string_view text, std::string& lines);

/// All texts as lines, as a source that is read in blocks. The texts must outlive it.
std::unique_ptr<TextSource> open_texts(std::span<const std::string_view> texts);

}  // namespace cane
