// Hints to the system about parts of a file that is mapped read-only: what will be needed soon, and
// what will not. They change when pages come and go, never what is read. Not for other memory:
// dropping its pages would lose them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace cane {

inline void hint_pages(std::span<const std::byte> mapped, int advice) {
  if (mapped.empty()) return;
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = address / page * page;
  ::madvise(reinterpret_cast<void*>(begin), address - begin + mapped.size(), advice);
}

inline void fetch_pages(std::span<const std::byte> mapped) {
  hint_pages(mapped, MADV_WILLNEED);
}
/// A page that is touched shall not bring two megabytes along.
inline void avoid_large_pages(std::span<const std::byte> mapped) {
#ifdef MADV_NOHUGEPAGE
  hint_pages(mapped, MADV_NOHUGEPAGE);
#endif
}
inline void drop_pages(std::span<const std::byte> mapped) {
  hint_pages(mapped, MADV_DONTNEED);
}

}  // namespace cane
