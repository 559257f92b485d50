// The front door of the readers: whatever the data is, by its name.
#pragma once

#include <string>
#include <vector>

#include "cane/context.h"
#include "cane/data_options.h"
#include "data/loaded_data.h"

namespace cane {

/// Reads `path` ("-": standard input). With `known`, labels and features are mapped through it and
/// keep their ids (normalisation, hashing and kind of feature are taken from it, too); without it
/// both are learned. Ranks share the data: each gets a part of the examples, those of lower ranks
/// come first, and together they are all; vocabulary and report are those of all, but for the
/// warnings, which the caller adds. All ranks call it, with the same arguments. Throws Error,
/// "file:line: what is wrong; what to do".
LoadedData load_data(const std::string& path, const DataOptions& options,
                     const Vocabulary* known = nullptr, const Context& context = {});

/// Whether the data is a matrix in a file of NumPy's, not text.
bool is_matrix(const std::string& path, const DataOptions& options);

/// The files that load_data() would read: the data and, if there are any, the labels of a matrix.
std::vector<std::string> files_of_data(const std::string& path, const DataOptions& options);

}  // namespace cane
