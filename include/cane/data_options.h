// How a data file is read. Each default is the constant that the help text prints.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

enum class Format { kAuto, kSvm, kVw, kFastText, kXmc, kNpy };
enum class Normalize { kNone, kL2 };
enum class OnError { kStop, kSkip };
enum class MultiLabel { kError, kFirst, kEach };

/// Lengths of the n-grams of a word's characters, from `min` to `max`; 0 and 0: none.
struct CharNgrams {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  bool operator==(const CharNgrams&) const = default;
};

struct DataOptions {
  Format format = Format::kAuto;
  /// Scale every example to length one, before the bias is added.
  Normalize normalize = Normalize::kNone;
  /// Words seen less often in training are left out (word formats only).
  std::uint32_t min_count = 1;
  /// 0: a dictionary of words. Otherwise words are hashed to 2^hash_bits features.
  std::uint32_t hash_bits = 0;
  /// Runs of 2 to this many words are features, too (word formats only, as all about n-grams).
  std::uint32_t word_ngrams = 1;
  /// So are runs of characters within a word, its ends marked.
  CharNgrams char_ngrams;
  /// N-grams are hashed to 2^ngram_bits features behind the dictionary; 0: kNgramBits. With
  /// hash_bits they share the features of the words instead.
  std::uint32_t ngram_bits = 0;
  static constexpr std::uint32_t kNgramBits = 18;
  OnError on_error = OnError::kStop;
  /// What to do with an example that has several labels.
  MultiLabel multi_label = MultiLabel::kError;
  /// Labels of a NumPy matrix: a .npy file or a text file, a label a line. Empty: found by its
  /// name.
  std::string labels_path;
  /// An example without a label is an error; `cane predict` turns this off.
  bool require_labels = true;
  /// Of data that is read through a model: labels that it lacks become further classes, after its
  /// own, instead of being left out.
  bool add_labels = false;
  /// Keep the parsed file as a binary cache. Empty directory: CANE_CACHE_DIR, XDG_CACHE_HOME/cane
  /// or
  /// ~/.cache/cane, the first that is set.
  bool use_cache = true;
  /// False: a cache that is there is used, but none is written.
  bool write_cache = true;
  std::string cache_directory;
  /// 0: one for each core.
  int threads = 0;
};

}  // namespace cane
