#include "data/vocabulary/feature_options.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cane/error.h"
#include "cane/names.h"

namespace cane {
namespace {

// The n-grams that are asked for, unchecked.
Ngrams wanted_ngrams(const DataOptions& options) {
  Ngrams wanted;
  wanted.bits = options.ngram_bits;
  if (options.word_ngrams > 0) wanted.words = options.word_ngrams;
  if (options.char_ngrams != CharNgrams::automatic()) wanted.characters = options.char_ngrams;
  return wanted;
}

// The first option set that requires words; empty if there is none.
std::string_view word_option(const DataOptions& options) {
  if (options.hash_bits > 0) return "`hash_bits`";
  if (options.min_count > 1) return "`min_count`";
  if (options.tokenizer == TokenizerKind::kWords) return "`tokenizer`";
  const Ngrams ngrams = wanted_ngrams(options);
  if (ngrams.words > 1) return "`word_ngrams`";
  if (ngrams.characters.max > 0) return "`char_ngrams`";
  if (options.ngram_count > 0) return "`ngram_count`";
  return options.ngram_bits > 0 ? "`ngram_bits`" : "";
}

void check_hash_bits(const DataOptions& options) {
  if (options.hash_bits > kMaxHashBits) {
    throw Error(fmt::format("`hash_bits {}`: must be from 1 to {}, or 0 for a dictionary of words",
                            options.hash_bits, kMaxHashBits));
  }
  if (options.hash_bits > 0 && options.min_count > 1) {
    throw Error(
        "`min_count` works with a dictionary of words, not with `hash_bits`; leave one of them "
        "out");
  }
}

void check_ngram_count(const DataOptions& options, const Ngrams& ngrams) {
  if (options.ngram_bits > 0 || options.hash_bits > 0) {
    throw OptionError("ngram_count", "it is for a dictionary of n-grams, but these are hashed",
                      "leave it out");
  }
  if (!ngrams.any()) {
    throw OptionError("ngram_count", "there are no n-grams to count",
                      "ask for some with `word_ngrams` or `char_ngrams`, or leave it out");
  }
}

void check_ngrams(const DataOptions& options, const Ngrams& ngrams) {
  const auto [shortest, longest] = ngrams.characters;
  if (ngrams.words > kMaxWordNgrams) {
    throw Error(fmt::format("`word_ngrams {}`: must be from 1, for words only, to {}", ngrams.words,
                            kMaxWordNgrams));
  }
  const bool has_lengths = ngrams.characters.max > 0 && ngrams.characters != CharNgrams::ends();
  if ((has_lengths || shortest > 0) &&
      (shortest < 1 || shortest > longest || longest > kMaxCharNgrams)) {
    throw Error(fmt::format(
        "`char_ngrams {}-{}`: lengths must be from 1 to {}, the smaller one first, as in 3-5",
        shortest, longest, kMaxCharNgrams));
  }
  if (options.ngram_count > 0) check_ngram_count(options, ngrams);
  if (options.ngram_bits == 0) return;
  if (options.ngram_bits > kMaxHashBits) {
    throw Error(
        fmt::format("`ngram_bits {}`: must be from 1 to {}", options.ngram_bits, kMaxHashBits));
  }
  if (options.hash_bits > 0) {
    throw OptionError("ngram_bits", "with `hash_bits` n-grams share the features of the words",
                      "leave one of them out");
  }
  if (!ngrams.any()) {
    throw OptionError("ngram_bits", "there are no n-grams to hash",
                      "ask for some with `word_ngrams` or `char_ngrams`, or leave it out");
  }
}

}  // namespace

void check_feature_options(const std::string& name, bool has_words, const DataOptions& options,
                           const Vocabulary* known) {
  if (known != nullptr) {
    const bool knows_words = known->feature_kind != FeatureKind::kIndices;
    if (knows_words == has_words) return;
    throw Error(
        fmt::format("{}: the features are {}, but the model was trained on {}; give data of the "
                    "kind it was trained on",
                    name, has_words ? "words" : "indices", knows_words ? "words" : "indices"));
  }
  const std::string_view option = word_option(options);
  if (!has_words && !option.empty()) {
    throw Error(fmt::format(
        "{}: {} is for word formats (vw, fasttext), but the features here are indices; leave it "
        "out",
        name, option));
  }
  check_hash_bits(options);
}

void check_weights_of_matrix(const std::string& name, const DataOptions& options,
                             const Vocabulary* known) {
  const FeatureWeights weights = known != nullptr ? known->weights : options.weights;
  if (weights == FeatureWeights::kAuto || weights == FeatureWeights::kCount) return;
  throw Error(fmt::format(
      "{}: `weights {}` is for sparse counts, but a NumPy matrix is dense; {}", name,
      name_of(weights),
      known != nullptr ? "give data of the kind the model was trained on" : "leave it out"));
}

FeatureId checked_dimension(const std::string& name, const std::vector<std::uint64_t>& shape,
                            const Vocabulary* known) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 31;
  if (shape.size() != 2) {
    throw Error(
        fmt::format("{}: the array has {} dimensions, but must have 2, a row for each example; "
                    "save X.reshape(len(X), -1)",
                    name, shape.size()));
  }
  const std::uint64_t dimension = shape[1];
  if (shape[0] == 0) {
    throw Error(fmt::format("{}: there are no examples; give a matrix with rows", name));
  }
  if (dimension == 0 || dimension > kMax) {
    throw Error(fmt::format("{}: {} columns; there must be from 1 to {}", name, dimension, kMax));
  }
  if (known != nullptr && dimension != known->dimension) {
    throw Error(
        fmt::format("{}: {} columns, but the model was trained on {} features; give the features "
                    "it was trained on",
                    name, dimension, known->dimension));
  }
  return static_cast<FeatureId>(dimension);
}

void check_table_options(const std::string& name, bool is_table, const DataOptions& options,
                         const Vocabulary* known) {
  if (!is_table && !options.keep_columns.empty()) {
    throw OptionError("keep_columns", fmt::format("{} is no table", name), "leave it out");
  }
  if (is_table || known != nullptr) return;
  const std::pair<const char*, bool> given[] = {
      {"text_column", !options.text_column.empty()},
      {"label_column", !options.label_column.empty()},
      {"weight_column", !options.weight_column.empty()},
      {"features_columns", !options.features_columns.empty()},
      {"header", options.header != HeaderRow::kAuto}};
  for (const auto& [field, is_given] : given) {
    if (!is_given) continue;
    throw OptionError(field, fmt::format("{} is no table", name),
                      "leave it out, or name the `format` (csv, tsv, jsonl)");
  }
}

void check_is_no_matrix(const std::string& name, const DataOptions& options) {
  if (options.labels_path.empty()) return;
  throw Error(
      fmt::format("{}: `labels_path` is for NumPy matrices, but this is text; leave it out", name));
}

Ngrams ngrams_of(const DataOptions& options) {
  const Ngrams ngrams = wanted_ngrams(options);
  check_ngrams(options, ngrams);
  return ngrams;
}

std::uint32_t ngram_count_of(const DataOptions& options) {
  constexpr std::uint32_t kNgramCount = 2;
  return options.ngram_count > 0 ? options.ngram_count : kNgramCount;
}

MultiLabel multi_label_of(const DataOptions& options, const Vocabulary* known) {
  if (options.every_row) return MultiLabel::kFirst;
  if (options.multi_label != MultiLabel::kAuto) return options.multi_label;
  if (known == nullptr) return MultiLabel::kError;
  const bool repeats = known->multi_label == MultiLabel::kEach && !options.require_labels;
  return repeats ? MultiLabel::kFirst : known->multi_label;
}

Vocabulary new_vocabulary(bool has_words, const DataOptions& options) {
  Vocabulary vocabulary;
  vocabulary.multi_label = multi_label_of(options, nullptr);
  if (options.weights != FeatureWeights::kAuto) vocabulary.weights = options.weights;
  vocabulary.normalize = options.normalize;
  if (options.normalize == Normalize::kAuto) {
    vocabulary.normalize =
        vocabulary.weights == FeatureWeights::kCount ? Normalize::kNone : Normalize::kL2;
  }
  if (!has_words) return vocabulary;
  if (options.tokenizer != TokenizerKind::kAuto) vocabulary.tokenizer = options.tokenizer;
  vocabulary.hash_bits = options.hash_bits;
  vocabulary.feature_kind = options.hash_bits > 0 ? FeatureKind::kHashedWords : FeatureKind::kWords;
  vocabulary.ngrams = ngrams_of(options);
  return vocabulary;
}

}  // namespace cane
