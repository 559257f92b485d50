// Options for reading a data file. The defaults are the ones that the help text prints.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

enum class Format { kAuto, kSvm, kVw, kFastText, kXmc, kNpy, kCsv, kTsv, kJsonl };
enum class Normalize { kNone, kL2, kAuto };
enum class TokenizerKind { kSpaces, kWords, kAuto };
enum class FeatureWeights { kCount, kBinary, kTfidf, kAuto };
enum class OnError { kStop, kSkip };
enum class MultiLabel { kError, kFirst, kEach, kAuto };
enum class HeaderRow { kAuto, kYes, kNo };

/// Lengths of character n-grams within a word, from `min` to `max`; 0 and 0: none. ends(): the
/// beginning and the end of long words.
struct CharNgrams {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  static constexpr CharNgrams automatic() { return {0xFFFFFFFF, 0xFFFFFFFF}; }
  static constexpr CharNgrams ends() { return {0, 7}; }
  bool operator==(const CharNgrams&) const = default;
};

/// Feature options that are automatic mean, where a file is just read, what their comments say;
/// choose_features() in cane/features.h chooses them by measuring on the file.
struct DataOptions {
  Format format = Format::kAuto;
  /// Scale every example to length one, before the bias is added. Automatic: where features are
  /// weighted otherwise than by count.
  Normalize normalize = Normalize::kAuto;
  /// How text becomes words (fastText format only: others give their features): what lies between
  /// blanks, or the words of Unicode in lower case, with each punctuation mark a word of its own.
  /// Automatic: spaces.
  TokenizerKind tokenizer = TokenizerKind::kAuto;
  /// What the count of a feature becomes (sparse rows only): itself, 1, or (1 + ln count) times
  /// its rarity, 1 + ln((1 + n) / (1 + df)), if df of n training examples have it. Automatic:
  /// itself.
  FeatureWeights weights = FeatureWeights::kAuto;
  /// Words that occur less often in training are dropped (word formats only).
  std::uint32_t min_count = 1;
  /// 0: a dictionary of words. Otherwise words are hashed to 2^hash_bits features.
  std::uint32_t hash_bits = 0;
  /// Runs of 2 to this many words also become features (word formats only, like all n-gram
  /// options); 1: words alone. 0: automatic, 1.
  std::uint32_t word_ngrams = 0;
  /// Runs of characters within a word also become features, with the ends of the word marked.
  /// Automatic: none.
  CharNgrams char_ngrams = CharNgrams::automatic();
  /// 0: a dictionary of n-grams, whose features follow the words. Otherwise n-grams are hashed to
  /// 2^ngram_bits features there. With hash_bits they share the feature space of the words instead.
  std::uint32_t ngram_bits = 0;
  /// N-grams that occur less often in training are not in their dictionary. 0: automatic, 2.
  std::uint32_t ngram_count = 0;
  OnError on_error = OnError::kStop;
  /// What to do with an example that has several labels. Automatic: what was done in training;
  /// in training itself, an error.
  MultiLabel multi_label = MultiLabel::kAuto;
  /// Labels of a NumPy matrix: a .npy file, or a text file with one label per line. Empty: found by
  /// its name.
  std::string labels_path;
  /// Columns of a table (CSV, TSV, JSON lines), by name or by number from 1. Empty: chosen by their
  /// names and content, or as the model was trained. `text_column` and `features_columns` may list
  /// several, separated by commas; `features_columns` "all" means every column of numbers that has
  /// no other use.
  std::string text_column;
  std::string label_column;
  std::string weight_column;
  std::string features_columns;
  /// Whether the first row of a CSV or TSV file holds the names of the columns.
  HeaderRow header = HeaderRow::kAuto;
  /// An example without a label is an error; `cane predict` turns this off.
  bool require_labels = true;
  /// For data that is read using a model: labels that the model lacks become new classes, numbered
  /// after the existing ones, instead of being dropped.
  bool add_labels = false;
  /// Every line of the data becomes one example, in order, also one that is blank, or that is
  /// passed over: Dataset::gaps() lists those. `cane predict` turns this on, so that answers line
  /// up with the lines.
  bool every_row = false;
  /// Columns of a table whose cells are kept as they are, beside what they are used for: see
  /// Dataset::kept(). By name or number, separated by commas. Nothing is kept in a cache then.
  std::string keep_columns;
  /// Keep the parsed file as a binary cache. Empty directory: CANE_CACHE_DIR, XDG_CACHE_HOME/cane
  /// or ~/.cache/cane, the first that is set.
  bool use_cache = true;
  /// If false, an existing cache is used but none is kept. A large text still goes through the
  /// folder of caches for as long as it is in use.
  bool write_cache = true;
  std::string cache_directory;
  /// 0: one for each core.
  int threads = 0;
  /// The most that `threads` may be, here and in all other options.
  static constexpr int kMaxThreads = 4096;
};

}  // namespace cane
