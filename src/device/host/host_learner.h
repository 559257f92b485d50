// The learner on the host, for tests: all that a GPU's learner computes, by the same functors.
#pragma once

#include <cstdint>
#include <memory>

#include "device/learner.h"

namespace cane::device {

/// `most_scores`: scores of a softmax that are kept at once; 0: as many as on a GPU.
std::unique_ptr<Learner> make_host_learner(const LearnerSpec& spec, std::uint64_t most_scores = 0);

std::uint64_t host_bytes(const LearnerSpec& spec);

}  // namespace cane::device
