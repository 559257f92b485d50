// A dataset, the storage that keeps it alive, and a report on how it was read.
#pragma once

#include <memory>
#include <string>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "core/parallel/communicator.h"
#include "data/rows/dataset_view.h"
#include "data/text/vocabulary.h"

namespace cane {

struct LoadedData {
  DatasetView view;
  Vocabulary vocabulary;
  ReadReport report;
  std::shared_ptr<const void> storage;  // what `view` points into
  std::vector<std::string> files = {};  // that it was read from: the data, and its labels
};

/// Reads `path` ("-": standard input). With `known`, labels and features are mapped through it and
/// keep their ids (normalisation, hashing and kind of feature are taken from it, too); without it
/// both are learned. Throws Error, "file:line: what is wrong; what to do".
LoadedData load_data(const std::string& path, const DataOptions& options,
                     const Vocabulary* known = nullptr);
/// The same for ranks that share the data: each gets a part of the examples, those of lower ranks
/// come first, and together they are all. Vocabulary and report are those of all, but for the
/// warnings, which the caller adds. All ranks call it, with the same arguments.
LoadedData load_data(const std::string& path, const DataOptions& options, const Vocabulary* known,
                     Communicator& ranks);

/// Whether the data is a matrix in a file of NumPy's, not text.
bool is_matrix(const std::string& path, const DataOptions& options);

/// The files that load_data() would read: the data and, if there are any, the labels of a matrix.
std::vector<std::string> files_of_data(const std::string& path, const DataOptions& options);

}  // namespace cane
