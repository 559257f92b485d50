// Caches the candidates found by a selector. The classes that compete for an example change slowly:
// after the first epochs they are searched again only every few epochs, and in between the classes
// of the last search are scored with the current weights. The lists depend on the example, never on
// its label, so consistency is preserved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/selector.h"

namespace cane {

/// The candidate lists of all examples, shared and written by the workers of all threads. An
/// example is in exactly one batch of an epoch, so threads never access the same list at once.
class CandidateMemory {
 public:
  /// Searches in the first two epochs and then in every `period`-th one. Examples are identified by
  /// their number, below `examples`. Every search must use a beam of this width.
  CandidateMemory(std::size_t examples, std::uint32_t width, std::uint32_t period);

  /// Makes a worker that searches with `searching` and uses cached lists where possible. The memory
  /// must outlive it.
  std::unique_ptr<Selector::Worker> make_worker(std::unique_ptr<Selector::Worker> searching);

  std::uint32_t width() const { return width_; }
  /// Whether the lists of these examples are recent enough.
  bool remembers(const SelectionDraws& draws) const;
  /// The `width` classes of an example, padded with kUnknownClass.
  std::span<ClassId> list(std::uint32_t number) {
    return std::span(classes_).subspan(std::size_t{number} * width_, width_);
  }

  static std::size_t bytes(std::size_t examples, std::uint32_t width) {
    return examples * width * sizeof(ClassId);
  }

 private:
  std::uint32_t width_;
  std::uint32_t period_;
  std::vector<ClassId> classes_;
};

}  // namespace cane
