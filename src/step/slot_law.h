// The law q of the noises that all examples of a batch share: every class outside a fixed set, in
// proportion to a power of its frequency, with a small uniform floor that bounds 1/q.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/base/types.h"
#include "core/noise/alias_table.h"

namespace cane {

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

}  // namespace cane
