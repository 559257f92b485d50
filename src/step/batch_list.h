// What the loss of a batch counts, as a matrix with a column for each listed class: first shared
// columns S, which count for all examples as they are, then the classes of n slots of noises that
// were drawn outside S, lessened by log(n q). A class that was drawn m times is one column, with
// log m more. Beside the matrix stand entries of single examples: labels that are in no column.
//
// The label of an example in S is there. Another one takes the place of one slot, that of the
// example's number in the batch, which does not depend on the label: for this example the class of
// that slot counts once less, and the label once more. Where S is made of the labels of the batch,
// the label of an example counts as shared only if another example has it, and noises are drawn
// from all classes; a slot whose class is in S is dead.
//
// This is the softmax if S has all classes, and otherwise a conditional likelihood
// (core/objective/pooled_noises.h), whatever S, q and n.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/types.h"
#include "core/noise/alias_table.h"

namespace cane {

/// The law q of the noises that all examples of a batch share: every class outside a fixed set, in
/// proportion to a power of its frequency, with a small uniform floor that bounds 1/q.
class SlotLaw {
 public:
  /// `counts`: examples of each class. Power 0 is the uniform law. `excluded`: ascending, distinct.
  SlotLaw(std::span<const std::uint64_t> counts, float power, std::span<const ClassId> excluded);

  /// Whether there is nothing to draw.
  bool is_empty() const { return outside_.empty(); }
  /// A pure function of its arguments.
  ClassId draw(const CounterRandom& random, std::uint64_t batch, std::uint32_t slot) const {
    return outside_[table_->draw(random.words(batch, slot))];
  }
  /// Of a class that is not excluded.
  float log_q(ClassId class_id) const { return log_q_[class_id]; }

 private:
  std::vector<ClassId> outside_;
  std::vector<float> log_q_;  // of every class
  std::optional<AliasTable> table_;
};

struct BatchList {
  /// Added to a score that does not count, instead of infinity, which has no differences.
  static constexpr float kDead = -1e30F;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// What the score of an example in a column is lessened or raised by, beside the offset.
  struct Shift {
    std::uint32_t example;
    std::uint32_t column;
    float by;
  };
  /// A class of one example that is in no column.
  struct Entry {
    std::uint32_t example;
    ClassId class_id;
    float offset;
  };
  struct Label {
    std::uint32_t column;  // kNone: it is an entry
    std::uint32_t entry;
    float offset;  // all that is added to its score
  };

  std::vector<ClassId> columns;  // distinct
  std::vector<float> offsets;    // of the columns
  std::vector<Shift> shifts;
  std::vector<Entry> entries;  // ascending by example
  std::vector<Label> labels;   // of the examples
  std::uint64_t covered = 0;   // labels in S
};

class ListMaker {
 public:
  struct Rules {
    std::vector<ClassId> shared;  // ascending
    bool shares_labels = false;   // S is made of the labels; `shared` is empty
    std::uint32_t slots = 0;
  };

  /// The law excludes the shared columns, and must outlive the object.
  ListMaker(const SlotLaw& law, std::uint32_t classes, const Rules& rules);

  /// All classes are listed, and nothing is drawn.
  bool lists_all() const { return rules_.shared.size() == place_.size(); }
  /// The most columns that a batch can have.
  std::size_t most_columns(std::size_t examples) const;
  std::uint32_t slots() const { return lists_all() ? 0 : rules_.slots; }

  /// `drawn`: slots() classes from the law. `list` was made by the same object before, or is new.
  void make(std::span<const ClassId> labels, std::span<const ClassId> drawn, BatchList& list);

 private:
  void add_columns(std::span<const ClassId> labels, std::span<const ClassId> drawn,
                   BatchList& list);
  void take_slot(std::uint32_t example, ClassId label, ClassId taken, BatchList& list) const;

  const SlotLaw& law_;
  Rules rules_;
  float log_slots_;
  std::vector<std::uint32_t> place_;   // the column of each class, or kNone
  std::vector<std::uint32_t> times_;   // drawn, by column
  std::vector<std::uint32_t> owners_;  // examples with that label, by column
};

}  // namespace cane
