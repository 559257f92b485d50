// How often each class came to a node of a routing tree, and what was learned about the class
// there. With a limit `most`, it also knows its most frequent classes: of equal counts the lower
// class comes first, so that they depend on the counts alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane {

struct ClassEntry {
  ClassId label = 0;
  /// LOMTree: the running mean of the router's margin. Recall Tree: the weight of the node as a
  /// feature of the class.
  float value = 0.0F;
  float square = 0.0F;  // Recall Tree: the sum of squared gradients of that weight
  double count = 0.0;   // sum of example weights
};

class ClassHistogram {
 public:
  /// Null if the class is not there.
  ClassEntry* find(ClassId label);
  const ClassEntry* find(ClassId label) const {
    return const_cast<ClassHistogram*>(this)->find(label);
  }
  double count(ClassId label) const {
    const ClassEntry* entry = find(label);
    return entry == nullptr ? 0.0 : entry->count;
  }
  /// Makes the entry if it is not there; valid until the next one is made.
  ClassEntry& at(ClassId label);
  /// Counts an example of this weight, of which the `most` most frequent classes are kept.
  void add(ClassId label, double weight, std::size_t most);

  std::span<const ClassEntry> entries() const { return entries_; }

  /// One of the most frequent classes.
  struct Top {
    double count;
    ClassId label;
    std::uint32_t place;  // in entries()
  };
  /// In the order of the classes.
  std::span<const Top> top() const { return top_; }
  /// Their counts together.
  double top_mass() const;
  /// Finds them again, from the counts.
  void rank(std::size_t most);
  void clear();

 private:
  void rehash();
  std::vector<ClassEntry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing: place in entries_ + 1; 0: free
  std::vector<Top> top_;              // counts once more: they are looked at for every example
};

}  // namespace cane
