// Measures the memory that a piece of work takes: the peak resident memory while it runs, above
// what was resident when it began. Linux keeps the peak and lets a process reset it; on other
// systems there is no figure.
#pragma once

#include <cstdint>
#include <optional>

namespace cane::cli {

class MemoryMeter {
 public:
  /// Gives freed memory back to the system first, so that earlier work does not hide later work.
  MemoryMeter();

  std::optional<std::uint64_t> peak_bytes() const;

 private:
  std::optional<std::uint64_t> before_;  // none: it cannot be measured
};

}  // namespace cane::cli
