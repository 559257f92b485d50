// Maps the names in a file to classes and features. While the file is read, names are numbered in
// order of appearance; at the end each number becomes a class or a feature. A known vocabulary
// fixes both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_table.h"
#include "core/base/types.h"
#include "core/parallel/communicator.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// The number of a name among those of a file, or of the part of it that this rank reads.
enum class FileId : std::uint32_t {};
inline constexpr FileId kUnknownName{StringTable::kNone};

/// The class of a label, or kUnknownClass. `class_of`: of each FileId.
inline ClassId class_of_name(FileId name, std::span<const ClassId> class_of) {
  return name == kUnknownName ? kUnknownClass : class_of[static_cast<std::uint32_t>(name)];
}

/// As many labels missing from a vocabulary are named to the user.
inline constexpr std::size_t kUnseenNames = 5;

/// Sorts labels numerically if all are whole numbers, otherwise in byte order.
void sort_labels(std::vector<std::string>& labels);

/// Throws Error if training data has fewer than two classes.
void check_classes(const std::string& name, const std::vector<std::string>& labels);

/// Names in the order they came. Those of a known vocabulary come first.
class NameTable {
 public:
  explicit NameTable(const std::vector<std::string>& known);

  FileId find(std::string_view name) const { return FileId{table_.find(name)}; }
  FileId find_or_add(std::string_view name) { return FileId{table_.find_or_add(name)}; }

  /// Takes in the names of all ranks, those of lower ranks first, as one reader of their parts
  /// would number them. Returns the numbers that the added names of each rank now have; nothing is
  /// done if this rank is alone. All ranks call it.
  std::vector<std::vector<std::uint32_t>> merge(Communicator& ranks);

  /// Of all ranks, once merged.
  std::uint32_t size() const { return table_.size(); }
  std::string_view operator[](std::uint32_t number) const { return table_[number]; }
  std::uint32_t number_of(std::string_view name) const { return table_.find(name); }
  /// What `of_all` says of all names, for those that this rank has numbered: indexed by FileId.
  template <typename Value>
  std::vector<Value> for_own(std::vector<Value> of_all) const {
    if (!is_merged_) return of_all;
    std::vector<Value> values(of_all.begin(), of_all.begin() + known_);
    for (const std::uint32_t number : own_) values.push_back(of_all[number]);
    return values;
  }

 private:
  StringTable table_;
  std::uint32_t known_;
  bool is_merged_ = false;
  std::vector<std::uint32_t> own_;  // the names that this rank added, by their numbers among all
};

/// Labels are sorted at the end. Labels missing from a known vocabulary are recorded, or become
/// additional classes in order of appearance.
class LabelMap {
 public:
  /// `adds`: labels missing from the known vocabulary become classes.
  explicit LabelMap(const Vocabulary* known, bool adds = false);

  /// kUnknownName for a label missing from the known vocabulary, unless labels are added.
  FileId number_of(std::string_view label);

  /// See NameTable.
  void merge(Communicator& ranks) { names_.merge(ranks); }

  /// FileId -> class. Call after all labels have been seen.
  std::vector<ClassId> classes() const;
  /// All labels, in the order of their classes.
  std::vector<std::string> sorted_labels() const;
  /// The first few labels missing from the known vocabulary.
  const std::vector<std::string>& unseen() const { return unseen_; }

 private:
  bool is_known_;
  bool adds_;
  NameTable names_;
  std::vector<std::string> unseen_;
};

/// Rare words are removed at the end and the others renumbered in the same order.
class WordMap {
 public:
  explicit WordMap(const Vocabulary* known);

  /// kUnknownName for a word missing from the known vocabulary.
  FileId number_of(std::string_view word, std::uint64_t occurrences);

  /// See NameTable; counts are added.
  void merge(Communicator& ranks);

  struct Features {
    std::vector<FeatureId> of_number;  // FileId -> feature, StringTable::kNone: left out
    std::vector<std::string> words;    // feature -> word
  };
  /// Call after all words have been seen.
  Features features(std::uint32_t min_count) const;

 private:
  void count(std::uint32_t number, std::uint64_t occurrences);

  bool is_known_;
  NameTable names_;
  std::vector<std::uint32_t> counts_;  // up to the largest number, where they stay
};

}  // namespace cane
