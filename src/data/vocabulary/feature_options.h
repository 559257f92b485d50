// Feature options, checked against the data and the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// Throws Error if the options are invalid for features of this kind, or if the model knows only
/// another kind. `name` identifies the data in messages.
void check_feature_options(const std::string& name, bool has_words, const DataOptions& options,
                           const Vocabulary* known);

/// Throws Error if counts of features would be weighted, which takes sparse rows; for dense ones.
void check_weights_of_matrix(const std::string& name, const DataOptions& options,
                             const Vocabulary* known);

/// Number of features of a matrix of this shape. Throws Error if there are none, or not as many as
/// the model has.
FeatureId checked_dimension(const std::string& name, const std::vector<std::uint64_t>& shape,
                            const Vocabulary* known);

/// Throws OptionError if the options name columns, but the data, read without a model, is no table.
void check_table_options(const std::string& name, bool is_table, const DataOptions& options,
                         const Vocabulary* known);

/// Throws Error if the options name a file of labels for a NumPy matrix, but the data is text.
void check_is_no_matrix(const std::string& name, const DataOptions& options);

/// Returns the requested n-grams. Throws Error if they are invalid.
Ngrams ngrams_of(const DataOptions& options);

/// How often an n-gram must occur to be in the dictionary.
std::uint32_t ngram_count_of(const DataOptions& options);

/// What to do with examples of several labels, if they are read through `known` (may be null).
/// Where no labels are needed, a line remains one example.
MultiLabel multi_label_of(const DataOptions& options, const Vocabulary* known);

/// Returns a vocabulary with the kind of features set and no names yet.
Vocabulary new_vocabulary(bool has_words, const DataOptions& options);

}  // namespace cane
