// Maps the names in a file to classes and features. While the file is read, names are numbered in
// order of appearance; at the end each number becomes a class or a feature. A known vocabulary
// fixes both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/vocabulary.h"

namespace cane {

/// Sorts labels numerically if all are whole numbers, otherwise in byte order.
void sort_labels(std::vector<std::string>& labels);

/// Throws Error if training data has fewer than two classes.
void check_classes(const std::string& name, const std::vector<std::string>& labels);

/// Labels are sorted at the end. Labels missing from a known vocabulary are recorded, or become
/// additional classes in order of appearance.
class LabelMap {
 public:
  /// `adds`: labels missing from the known vocabulary become classes instead of kNone.
  explicit LabelMap(const Vocabulary* known, bool adds = false);

  /// kNone for a label missing from the known vocabulary, unless labels are added.
  std::uint32_t number_of(std::string_view label);

  /// Number -> class. Call after all labels have been seen.
  std::vector<ClassId> classes() const;
  /// All labels, in the order of their classes.
  std::vector<std::string> sorted_labels() const;
  /// The first few labels missing from the known vocabulary.
  const std::vector<std::string>& unseen() const { return unseen_; }

 private:
  bool is_known_;
  bool adds_;
  StringTable table_;
  std::vector<std::string> unseen_;
};

/// Rare words are removed at the end and the others renumbered in the same order.
class WordMap {
 public:
  explicit WordMap(const Vocabulary* known);

  /// kNone for a word missing from the known vocabulary.
  std::uint32_t number_of(std::string_view word, std::uint64_t occurrences);

  struct Features {
    std::vector<FeatureId> of_number;  // StringTable::kNone: left out
    std::vector<std::string> words;    // feature -> word
  };
  /// Call after all words have been seen.
  Features features(std::uint32_t min_count) const;

 private:
  bool is_known_;
  StringTable table_;
  std::vector<std::uint32_t> counts_;  // up to the largest number, where they stay
};

}  // namespace cane
