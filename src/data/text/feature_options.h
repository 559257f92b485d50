// What the options say about features, checked against the data and the model.
#pragma once

#include <string>

#include "cane/data_options.h"
#include "data/text/vocabulary.h"

namespace cane {

/// Throws Error if the options make no sense for features of this kind, or if a model that knows
/// only another kind is to read them. `name` is what messages call the data.
void check_feature_options(const std::string& name, bool has_words, const DataOptions& options,
                           const Vocabulary* known);

/// Throws Error if the options name labels of a NumPy matrix, though the data is text.
void check_is_no_matrix(const std::string& name, const DataOptions& options);

/// The n-grams that are asked for. Throws Error if they make no sense.
Ngrams ngrams_of(const DataOptions& options);

/// A vocabulary that knows the kind of features, and no name yet.
Vocabulary new_vocabulary(bool has_words, const DataOptions& options);

}  // namespace cane
