// The best possible classifier of the synthetic data: it knows centres, noise and frequencies and
// takes the class of the largest posterior probability,
//   argmax_k (x . mu_k - |mu_k|^2 / 2) / noise^2 + log frequency_k,
// by going through all classes.
#pragma once

#include <cstdint>

#include "core/base/thread_pool.h"
#include "data/synth/synth_law.h"

namespace cane {

/// How many test examples it gets right; ties go to the lower class.
std::uint64_t count_best_correct(const SynthLaw& law, ThreadPool& pool);

}  // namespace cane
