// What a softmax over many scores needs: the largest, the exponentials and their sum.
#pragma once

#include <cstddef>

namespace cane {

/// The largest score, minus infinity of none. Scores that are not numbers may be passed over.
float max_of(const float* scores, std::size_t count);

/// out[i] = exp(scores[i] - shift); returns the sum of these. `out` may be `scores`. The relative
/// error of an exponential is below 2e-6 (in practice 2e-7), that of the sum too, for any count.
/// Results below the normal range, about 1e-38, are zero. What is not a number stays so, in the
/// sum too.
float exp_and_sum(const float* scores, std::size_t count, float shift, float* out);

/// log of the sum of exp(scores[i]), without overflow; minus infinity of no scores.
float log_sum_exp(const float* scores, std::size_t count);

}  // namespace cane
