// A text in a file, in the files of a folder, or on standard input: which format it has, and which
// part of it a rank reads.
#pragma once

#include <string>

#include "cane/data_options.h"
#include "core/parallel/run_context.h"
#include "data/blocks/parsed_data.h"
#include "data/reader/record_sample.h"
#include "data/text/parse_text.h"

namespace cane {

/// Opens the part of the text that is this rank's; all ranks call it. Throws Error if the format is
/// ambiguous, or the text cannot be shared.
TextInput open_text_file(const std::string& path, const DataOptions& options,
                         const Vocabulary* known, const BlockLimits& limits, Communicator& ranks);

/// Opens the text and reads it to its end.
ParsedData parse_text_file(const std::string& path, const DataOptions& options,
                           const Vocabulary* known, const RunContext& run, StoreLimits store,
                           const BlockLimits& limits = {});

/// Throws the Error that parse_text_file() would throw of a line, and keeps nothing.
void check_text_file(const std::string& path, const DataOptions& options);

/// Makes features of a sample, learning its labels and features.
LoadedData load_sample(const RecordSample& sample, const DataOptions& options, ThreadPool& pool);

}  // namespace cane
