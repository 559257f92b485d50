// The instruction sets that no kernel is compiled for. Vectors of unknown length cannot be kept in
// arrays, and every arm64 machine has NEON as well. Include it before Highway, in every file that
// is compiled once for each instruction set.
#pragma once

#define CANE_UNFIT_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// CANE_FEW_TARGETS leaves one instruction set for each width of vectors.
#ifdef CANE_FEW_TARGETS
#define HWY_DISABLED_TARGETS (CANE_UNFIT_TARGETS | HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS CANE_UNFIT_TARGETS
#endif
