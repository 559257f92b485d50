// From labels to classes. While a file is read labels get numbers in the order they come; at the
// end they are sorted, and each number becomes a class. With a known vocabulary the classes are
// given; labels it lacks are noted, or become further classes in the order they come.
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

}  // namespace cane
