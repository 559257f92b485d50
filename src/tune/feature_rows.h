// The ways to make features that are compared: a table with one row for each, the cheapest first;
// and the changes that a wider search tries. To consider another way, add a row.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cane/config.h"
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
  /// The choice where nothing can be measured.
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
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 1,
               .char_ngrams = {},
               .normalize = Normalize::kL2},
    FeatureRow{.source = FeatureSource::kEncodedText,
               .tokenizer = TokenizerKind::kWords,
               .weights = FeatureWeights::kTfidf,
               .word_ngrams = 1,
               .char_ngrams = CharNgrams::ends(),
               .normalize = Normalize::kL2,
               .is_usual = true},
    FeatureRow{.source = FeatureSource::kGiven, .is_usual = true},
    FeatureRow{.source = FeatureSource::kGiven,
               .weights = FeatureWeights::kCount,
               .normalize = Normalize::kL2},
    FeatureRow{.source = FeatureSource::kGiven, .weights = FeatureWeights::kTfidf},
};

/// One step of a search around the best way so far.
struct FeatureChange {
  /// Whether the user left it open.
  bool (*is_open)(const DataOptions& asked);
  void (*apply)(DataOptions& options);
};

inline constexpr bool tokenizer_is_open(const DataOptions& asked) {
  return asked.tokenizer == TokenizerKind::kAuto;
}
inline constexpr bool weights_are_open(const DataOptions& asked) {
  return asked.weights == FeatureWeights::kAuto;
}
inline constexpr bool normalize_is_open(const DataOptions& asked) {
  return asked.normalize == Normalize::kAuto;
}
inline constexpr bool min_count_is_open(const DataOptions& asked) {
  return asked.min_count == 1;
}
inline constexpr bool runs_are_open(const DataOptions& asked) {
  return asked.word_ngrams == 0;
}
inline constexpr bool pieces_are_open(const DataOptions& asked) {
  return asked.char_ngrams == CharNgrams::automatic();
}
inline constexpr bool ngram_count_is_open(const DataOptions& asked) {
  return asked.ngram_count == 0 && asked.ngram_bits == 0;
}

inline constexpr FeatureChange kFeatureChanges[] = {
    {tokenizer_is_open, [](DataOptions& way) { way.tokenizer = TokenizerKind::kSpaces; }},
    {tokenizer_is_open, [](DataOptions& way) { way.tokenizer = TokenizerKind::kWords; }},
    {weights_are_open, [](DataOptions& way) { way.weights = FeatureWeights::kCount; }},
    {weights_are_open, [](DataOptions& way) { way.weights = FeatureWeights::kBinary; }},
    {weights_are_open, [](DataOptions& way) { way.weights = FeatureWeights::kTfidf; }},
    {normalize_is_open, [](DataOptions& way) { way.normalize = Normalize::kNone; }},
    {normalize_is_open, [](DataOptions& way) { way.normalize = Normalize::kL2; }},
    {min_count_is_open, [](DataOptions& way) { way.min_count = 2; }},
    {min_count_is_open, [](DataOptions& way) { way.min_count = 3; }},
    {runs_are_open, [](DataOptions& way) { way.word_ngrams = 1; }},
    {runs_are_open, [](DataOptions& way) { way.word_ngrams = 2; }},
    {runs_are_open, [](DataOptions& way) { way.word_ngrams = 3; }},
    {pieces_are_open, [](DataOptions& way) { way.char_ngrams = {}; }},
    {pieces_are_open,
     [](DataOptions& way) {
       way.char_ngrams = {2, 4};
     }},
    {pieces_are_open, [](DataOptions& way) { way.char_ngrams = kPieces; }},
    {pieces_are_open,
     [](DataOptions& way) {
       way.char_ngrams = {3, 6};
     }},
    {pieces_are_open, [](DataOptions& way) { way.char_ngrams = CharNgrams::ends(); }},
    {ngram_count_is_open, [](DataOptions& way) { way.ngram_count = 1; }},
    {ngram_count_is_open, [](DataOptions& way) { way.ngram_count = 3; }},
};

// The ways to make features that agree with what the user asked for, from the table of rows.

/// All rows of the table with what the user gave in their place, in order; no two are equal.
std::vector<DataOptions> ways_from(FeatureSource source, const DataOptions& asked);

/// The way that is taken where nothing can be measured.
DataOptions usual_way(FeatureSource source, const DataOptions& asked);

/// Whether both make the same features.
bool makes_the_same(const DataOptions& a, const DataOptions& b);

/// "words, runs of 2, pieces of 3-5 letters; tfidf"
std::string way_name(FeatureSource source, const DataOptions& way, EncoderKind encoder);

}  // namespace cane
