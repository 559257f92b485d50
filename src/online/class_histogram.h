// Class counts at a node of a routing tree, with what was learned about each class there. With a
// limit `most`, it also tracks the most frequent classes; ties go to the lower class, so the result
// depends only on the counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

struct ClassEntry {
  ClassId label = 0;
  /// LOMTree: running mean of the router's margin. Recall Tree: weight of the node as a feature of
  /// the class.
  float value = 0.0F;
  float square = 0.0F;  // Recall Tree: the sum of squared gradients of that weight
  double count = 0.0;   // sum of example weights
};

class ClassHistogram {
 public:
  /// Null if the class has no entry.
  ClassEntry* find(ClassId label);
  const ClassEntry* find(ClassId label) const {
    return const_cast<ClassHistogram*>(this)->find(label);
  }
  double count(ClassId label) const {
    const ClassEntry* entry = find(label);
    return entry == nullptr ? 0.0 : entry->count;
  }
  /// Creates the entry if needed; the reference is valid until the next entry is created.
  ClassEntry& at(ClassId label);
  /// Counts an example with this weight and keeps track of the `most` most frequent classes.
  void add(ClassId label, double weight, std::size_t most);

  std::span<const ClassEntry> entries() const { return entries_; }

  /// One of the most frequent classes.
  struct Top {
    double count;
    ClassId label;
    std::uint32_t place;  // index in entries()
  };
  /// The most frequent classes, ordered by class.
  std::span<const Top> top() const { return top_; }
  /// Sum of the counts of the most frequent classes.
  double top_mass() const;
  /// Recomputes the most frequent classes from the counts.
  void rank(std::size_t most);
  void clear();

 private:
  void rehash();
  std::vector<ClassEntry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing: index in entries_ + 1; 0: free
  std::vector<Top> top_;              // copies the counts, which are read for every example
};

}  // namespace cane
