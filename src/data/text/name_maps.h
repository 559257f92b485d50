// Maps the names in a file to classes and features. While the file is read, names are numbered in
// order of appearance; at the end each number becomes a class or a feature. A known vocabulary
// fixes both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "core/parallel/communicator.h"
#include "data/text/vocabulary.h"

namespace cane {

/// As many labels missing from a vocabulary are named to the user.
inline constexpr std::size_t kUnseenNames = 5;

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

  /// Takes in the labels of all ranks, those of lower ranks first, as one reader of their parts
  /// would number them; returns the new number of each label. All ranks call it.
  std::vector<std::uint32_t> merge(Communicator& ranks);

  /// Number -> class. Call after all labels have been seen.
  std::vector<ClassId> classes() const;
  /// All labels, in the order of their classes.
  std::vector<std::string> sorted_labels() const;
  /// The first few labels missing from the known vocabulary.
  const std::vector<std::string>& unseen() const { return unseen_; }

 private:
  bool is_known_;
  bool adds_;
  std::uint32_t known_labels_ = 0;
  StringTable table_;
  std::vector<std::string> unseen_;
};

/// Rare words are removed at the end and the others renumbered in the same order.
class WordMap {
 public:
  explicit WordMap(const Vocabulary* known);

  /// kNone for a word missing from the known vocabulary.
  std::uint32_t number_of(std::string_view word, std::uint64_t occurrences);

  /// The same as LabelMap::merge, with the counts of all ranks.
  std::vector<std::uint32_t> merge(Communicator& ranks);

  struct Features {
    std::vector<FeatureId> of_number;  // StringTable::kNone: left out
    std::vector<std::string> words;    // feature -> word
  };
  /// Call after all words have been seen.
  Features features(std::uint32_t min_count) const;

 private:
  void count(std::uint32_t number, std::uint64_t occurrences);

  bool is_known_;
  StringTable table_;
  std::vector<std::uint32_t> counts_;  // up to the largest number, where they stay
};

}  // namespace cane
