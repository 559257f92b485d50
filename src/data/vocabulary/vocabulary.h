// The names learned in training: the labels of the classes, and the kind and names of the features.
// It is stored in the model, so that later data is read through it and no option has to be
// repeated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/types.h"

namespace cane {

inline constexpr std::uint32_t kMaxHashBits = 30;
// Limits on the size of rows.
inline constexpr std::uint32_t kMaxWordNgrams = 8;
inline constexpr std::uint32_t kMaxCharNgrams = 16;

enum class FeatureKind : std::uint8_t { kIndices, kWords, kHashedWords };

/// Which n-grams are features in addition to the words: see data/text/ngram_hasher.h.
struct Ngrams {
  std::uint32_t words = 1;
  CharNgrams characters;
  /// They have 2^bits features of their own, behind the dictionary of words. 0: a dictionary of
  /// n-grams, or words are hashed and n-grams share their features.
  std::uint32_t bits = 0;

  bool any() const { return words > 1 || characters.max > 0; }
  bool operator==(const Ngrams&) const = default;
};

/// What a column of a table is for: see data/table/columns.h.
enum class ColumnRole : std::uint8_t { kNone, kLabel, kWeight, kText, kNumber, kString };

struct TableColumn {
  ColumnRole role = ColumnRole::kNone;
  std::string name;
  bool operator==(const TableColumn&) const = default;
};

/// How a column of a file is used.
struct ColumnUse {
  ColumnRole role = ColumnRole::kNone;
  std::string name;          // in the file, for messages
  std::string feature = {};  // kNumber, kString: the name that training saw
  FeatureId index = 0;       // kNumber: its place among those of the model
  std::uint32_t kept = 0;    // its place among those that are kept, from 1; 0: it is not
};

struct Vocabulary {
  /// Class id -> label, in numeric order if all labels are whole numbers, else in byte order; those
  /// that came with continued training follow in the order they came.
  std::vector<std::string> labels;
  FeatureKind feature_kind = FeatureKind::kIndices;
  /// Feature id -> word, for kWords only.
  std::vector<std::string> words;
  std::uint32_t hash_bits = 0;
  Ngrams ngrams;
  /// The hashes of the n-grams that are features, in order: the first follows the words. Only with
  /// a dictionary of n-grams.
  std::vector<std::uint64_t> ngram_hashes;
  /// None of these is automatic.
  TokenizerKind tokenizer = TokenizerKind::kSpaces;
  FeatureWeights weights = FeatureWeights::kCount;
  /// Feature id -> the factor of its weight (see row_weights.h). Always there with tfidf, never
  /// with count; empty with binary: no feature keeps its value.
  std::vector<float> factors;
  /// Number of features, the bias not counted.
  FeatureId dimension = 0;
  /// The columns of the table it was learned from that had a use; empty if it was no table. With
  /// kIndices the columns of numbers are the features, in this order.
  std::vector<TableColumn> columns;
  Normalize normalize = Normalize::kNone;
  /// What training did with examples of several labels.
  MultiLabel multi_label = MultiLabel::kError;

  bool operator==(const Vocabulary&) const = default;
};

/// Whether n-grams have a dictionary, like the words.
bool has_ngram_dictionary(const Vocabulary& vocabulary);

/// "label:NAME", "text:NAME", ...: the columns as strings, for files, and back. Strings that are no
/// columns read as columns without a role.
std::vector<std::string> column_texts(const std::vector<TableColumn>& columns);
std::vector<TableColumn> columns_of_texts(const std::vector<std::string>& texts);

/// The name of the feature of a column: "city=Paris", or "age=" for a column of numbers. Words of a
/// text are not likely to be the same.
std::string column_feature(std::string_view column, std::string_view value);

/// The feature of a word, its name space before it, among 2^bits.
FeatureId hashed_word(std::string_view word, std::uint32_t bits);

/// Number of columns of numbers.
FeatureId columns_of_numbers(const Vocabulary& vocabulary);

/// Number of features that its words and n-grams make: the dictionary followed by the n-grams, or
/// the hash space. Only for features that are words.
std::uint64_t word_features(const Vocabulary& vocabulary);

/// Validates the kind of features, its numbers and its words together, for untrusted files. Returns
/// what is wrong, or nullptr.
const char* validation_error(const Vocabulary& vocabulary);

/// A hash of all that makes rows: of the whole vocabulary but `multi_label`.
std::uint64_t fingerprint(const Vocabulary& vocabulary);

}  // namespace cane
