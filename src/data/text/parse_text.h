// Reads a text whose format is known, or a rank's part of one: one task reads (and decompresses)
// the next blocks while the others parse the current ones; parsed blocks are joined in file order.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cane/data_options.h"
#include "core/file/cache_source.h"
#include "core/parallel/run_context.h"
#include "data/blocks/parsed_data.h"
#include "data/text/block_reader.h"
#include "data/text/reading_progress.h"
#include "data/text/text_format.h"

namespace cane {

struct TextInput {
  std::string name;     // in messages
  FormatChoice choice;  // and what was read to tell it, which the reader does not give again
  BlockReader reader;
  std::shared_ptr<const PieceLines> pieces = {};  // of several files; null: it is one
  std::optional<FileStamp> stamp = {};            // of the file, from before it was opened
  bool has_labels = true;                         // else the caller has them
};

/// Blocks are stored as `store` says. With ranks, names and what is learned are those of the whole
/// text; all ranks call it. Throws Error, also if the file has changed meanwhile.
ParsedData parse_text(TextInput input, const DataOptions& options, const Vocabulary* known,
                      const RunContext& run, StoreLimits store = {});

/// Reads the text to its end and keeps nothing of it. Throws the Error that parse_text() would
/// throw of a line.
void check_text(TextInput input, const DataOptions& options, ThreadPool& pool);

/// Block limits for a text of these options. N-grams make parsed blocks many times larger than
/// their text: less text is read at a time.
BlockLimits limits_for(const DataOptions& options, const Vocabulary* known,
                       BlockLimits limits = {});

}  // namespace cane
