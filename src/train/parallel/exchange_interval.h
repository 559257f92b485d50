// How many batches the ranks take between two exchanges of weights: as few as possible, since steps
// that others do not know of yet are taken at old weights, but enough that exchanging takes a small
// part of the time. It is adapted to what the ranks have measured; all of them decide the same,
// because all get the same notes.
#pragma once

#include <cstdint>
#include <span>

#include "train/parallel/weight_exchange.h"

namespace cane {

class ExchangeInterval {
 public:
  /// `examples`: of an epoch; `batch`: how many of these are a batch.
  ExchangeInterval(std::uint64_t examples, std::uint64_t classes, std::uint64_t batch, int ranks);

  /// Of all ranks together.
  std::uint64_t batches() const { return batches_; }

  void adapt(std::span<const WeightExchange::Note> notes);

 private:
  std::uint64_t most_;
  std::uint64_t least_;
  std::uint64_t batches_;
};

}  // namespace cane
