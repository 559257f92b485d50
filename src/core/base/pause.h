// What a thread does between two looks at something that another one is about to change.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cane {

/// Lets the other thread of the core go ahead for a moment.
inline void pause_core() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

}  // namespace cane
