// Texts in memory, read as the lines of a file are. A line begins with a mark, so that an empty
// text remains an example; it has no label, which the caller has beside the texts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cane/data_options.h"
#include "core/base/thread_pool.h"
#include "data/blocks/parsed_data.h"
#include "data/text/text_format.h"

namespace cane {

/// The format of these lines: a mark, then words.
const TextFormat& marked_text_format();

/// Appends a text as such a line. Line ends and control characters become blanks.
void append_marked_line(std::string_view text, std::string& lines);

/// Reads the texts as parse_text() does a file; the vocabulary gets no labels. A text each becomes
/// an example, in order.
ParsedData parse_texts(std::span<const std::string_view> texts, const DataOptions& options,
                       const Vocabulary* known, ThreadPool& pool);

}  // namespace cane
