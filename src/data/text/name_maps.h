// From the names in a file to classes and features. While the file is read names get numbers in the
// order they come; at the end each number becomes a class or a feature. With a known vocabulary
// both are given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/vocabulary.h"

namespace cane {

/// In numeric order if all are whole numbers, else in byte order.
void sort_labels(std::vector<std::string>& labels);

/// Throws Error if training data has fewer than two classes.
void check_classes(const std::string& name, const std::vector<std::string>& labels);

/// Labels are sorted at the end. Those that a known vocabulary lacks are noted, or become more
/// classes in the order they come.
class LabelMap {
 public:
  /// `adds`: labels that the known vocabulary lacks are no reason for kNone.
  explicit LabelMap(const Vocabulary* known, bool adds = false);

  /// kNone for a label that the known vocabulary lacks.
  std::uint32_t number_of(std::string_view label);

  /// Number -> class. Called when all labels have been seen.
  std::vector<ClassId> classes() const;
  /// All labels, in the order of their classes.
  std::vector<std::string> sorted_labels() const;
  /// The first few labels that the known vocabulary lacks.
  const std::vector<std::string>& unseen() const { return unseen_; }

 private:
  bool is_known_;
  bool adds_;
  StringTable table_;
  std::vector<std::string> unseen_;
};

/// Rare words are left out at the end and the others move up, which keeps their order.
class WordMap {
 public:
  explicit WordMap(const Vocabulary* known);

  /// kNone for a word that the known vocabulary lacks.
  std::uint32_t number_of(std::string_view word, std::uint64_t occurrences);

  struct Features {
    std::vector<FeatureId> of_number;  // StringTable::kNone: left out
    std::vector<std::string> words;    // feature -> word
  };
  /// Called when all words have been seen.
  Features features(std::uint32_t min_count) const;

 private:
  bool is_known_;
  StringTable table_;
  std::vector<std::uint32_t> counts_;  // up to the largest number, where they stay
};

}  // namespace cane
