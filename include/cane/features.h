// Chooses how a text becomes features, by measuring on the text itself.
#pragma once

#include <string>

#include "cane/config.h"
#include "cane/data_options.h"
#include "cane/examples.h"
#include "cane/model.h"
#include "cane/train.h"

namespace cane {

/// Returns the options with tokenizer, weights, n-grams and normalisation filled in where they are
/// automatic: each way that comes into question is trained on some examples of the file as `config`
/// says, and the best on held-out ones is taken, or one with more features that comes near it.
/// Standard input, which can be read only once, and files that are neither text nor sparse are left
/// alone; files with too few examples to tell anything, and config.pilot kOff, get the way that was
/// best on most texts. The observer is told what was measured; if it asks to stop, nothing more is
/// measured. Of several ranks, the first one measures, and all take what it has chosen. Throws
/// Error if the file cannot be read.
DataOptions choose_features(const std::string& path, const DataOptions& options,
                            const TrainConfig& config = {}, const Context& context = {});

/// The same for examples in memory; dense rows are left alone.
DataOptions choose_features(const Examples& examples, const DataOptions& options,
                            const TrainConfig& config = {}, TrainObserver* observer = nullptr);

struct ChosenFeatures {
  DataOptions data;
  EncoderKind encoder = EncoderKind::kIdentity;
};

/// The same with a wider search, for tuning: also other tokenizers, weights, lengths of n-grams and
/// least counts, changed one by one from the best way so far as long as that helps, and for text
/// the encoder bag if `config` has none. What `options` do not leave at their defaults stays.
ChosenFeatures search_features(const std::string& path, const DataOptions& options,
                               const TrainConfig& config = {}, TrainObserver* observer = nullptr);

ChosenFeatures search_features(const Examples& examples, const DataOptions& options,
                               const TrainConfig& config = {}, TrainObserver* observer = nullptr);

/// Returns the options with the features set to those of the model: to read the data of an
/// interrupted training again.
DataOptions with_features_of(const Model& model, const DataOptions& options);

}  // namespace cane
