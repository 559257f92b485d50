// Reads any of the text formats: one task reads (and decompresses) the next blocks while the others
// parse the current ones; parsed blocks are joined in the file's order.
#pragma once

#include <string>

#include "core/base/thread_pool.h"
#include "data/loaded_data.h"
#include "data/rows/columns.h"
#include "data/text/block_reader.h"
#include "data/text/parsed_text.h"

namespace cane {

struct LoadedText {
  LoadedData data;
  Columns columns;  // what data.view shows
};

/// Reads and parses all of it; blocks go where `store` says.
ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits = {});

/// All blocks, in memory.
LoadedText put_together(ParsedText text, ThreadPool& pool);

/// As load_data, without the cache. `limits` cut the text into blocks; they do not change the
/// result, except that longer lines are errors.
LoadedText load_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                     ThreadPool& pool, const BlockLimits& limits = {});

/// Throws an Error if the options make no sense for features of this kind, or if a model that knows
/// only another kind is to read them.
void check_feature_options(const std::string& name, bool has_words, const DataOptions& options,
                           const Vocabulary* known);

/// The n-grams that are asked for. Throws an Error if they make no sense.
Ngrams ngrams_of(const DataOptions& options);

}  // namespace cane
