// Examples in the caller's memory as a dataset. Rows that need no weights are used where they lie.
#pragma once

#include "cane/data_options.h"
#include "cane/examples.h"
#include "core/base/thread_pool.h"
#include "data/loaded_data.h"

namespace cane {

/// Like load_data(), for rows and texts in memory. Throws Error, and NonFiniteError for numbers
/// that are none.
LoadedData load_examples(const Examples& examples, const DataOptions& options,
                         const Vocabulary* known = nullptr);

/// Throws Error unless every example has a class and every class a label.
void check_labels(const Examples& examples);

/// Throws Error unless the rows are well formed, and fit the vocabulary if there is one.
void check_shape(const DenseRows& rows, const Vocabulary* known);
void check_shape(const SparseRows& rows, const Vocabulary* known);

/// Throws NonFiniteError, with row and column, if a value of these rows cannot be used.
void check_values(const DenseRows& rows, std::size_t begin, std::size_t end);
/// Also throws Error unless indices increase and lie below the number of columns.
void check_values(const SparseRows& rows, std::size_t begin, std::size_t end);

}  // namespace cane
