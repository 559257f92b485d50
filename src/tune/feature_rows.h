// The ways to make features that are compared: a table with one row for each, the cheapest first.
// To consider another way, add a row.
#pragma once

#include <array>

#include "cane/data_options.h"

namespace cane {

/// What the features of a file are made of.
enum class FeatureSource {
  kText,         // words have to be found in it
  kEncodedText,  // the same, for an encoder that learns what features are worth
  kGiven,        // the file gives sparse features with their values
};

struct FeatureRow {
  FeatureSource source = FeatureSource::kText;
  TokenizerKind tokenizer = TokenizerKind::kAuto;
  FeatureWeights weights = FeatureWeights::kAuto;
  std::uint32_t word_ngrams = 0;
  CharNgrams char_ngrams = CharNgrams::automatic();
  Normalize normalize = Normalize::kAuto;
  /// Taken where nothing can be measured.
  bool is_usual = false;
};

inline constexpr CharNgrams kPieces = {3, 5};

inline constexpr std::array kFeatureRows = {
    FeatureRow{.source = FeatureSource::kText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 1,
               .char_ngrams = {}},
    FeatureRow{.source = FeatureSource::kText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 2,
               .char_ngrams = {},
               .is_usual = true},
    FeatureRow{.source = FeatureSource::kText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 1,
               .char_ngrams = kPieces},
    FeatureRow{.source = FeatureSource::kText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 2,
               .char_ngrams = kPieces},
    FeatureRow{.source = FeatureSource::kEncodedText,
               .tokenizer = TokenizerKind::kSpaces,
               .weights = FeatureWeights::kCount,
               .word_ngrams = 1,
               .char_ngrams = {},
               .is_usual = true},
    FeatureRow{.source = FeatureSource::kEncodedText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kCount,
               .word_ngrams = 1,
               .char_ngrams = {}},
    FeatureRow{.source = FeatureSource::kGiven, .is_usual = true},
    FeatureRow{.source = FeatureSource::kGiven,
               .weights = FeatureWeights::kCount,
               .normalize = Normalize::kL2},
    FeatureRow{.source = FeatureSource::kGiven, .weights = FeatureWeights::kTfidf},
};

}  // namespace cane
