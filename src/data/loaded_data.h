// A dataset, the storage that keeps it alive, and a report on how it was read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cane/dataset.h"
#include "data/rows/dataset_view.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// A reader fills in the vocabulary and the report first, then the rows.
struct LoadedData {
  DatasetView view;
  Vocabulary vocabulary;
  ReadReport report;
  std::shared_ptr<const void> storage;  // what `view` points into
  std::vector<std::string> files = {};  // that it was read from: the data, and its labels
  // With every_row and keep_columns: see Dataset.
  std::vector<RowGap> gaps = {};
  std::vector<std::string> kept = {};
  std::uint64_t first_example = 0;
};

}  // namespace cane
