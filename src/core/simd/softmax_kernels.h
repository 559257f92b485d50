// Kernels for a softmax over many scores: the maximum, the exponentials and their sum.
#pragma once

#include <cstddef>

namespace cane {

/// The largest score; minus infinity if there are none. NaN scores may be ignored.
float max_of(const float* scores, std::size_t count);

/// out[i] = exp(scores[i] - shift); returns their sum. `out` may be `scores`. The relative error of
/// an exponential, and of the sum for any count, is below 2e-6 (in practice 2e-7). Results below
/// the normal range, roughly 1e-38, are zero. NaN propagates, also to the sum.
float exp_and_sum(const float* scores, std::size_t count, float shift, float* out);

/// log of the sum of exp(scores[i]), without overflow; minus infinity if there are no scores.
float log_sum_exp(const float* scores, std::size_t count);

}  // namespace cane
