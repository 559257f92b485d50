#include "device/host/host_backend.h"

#include "device/parts/counting_backend.h"
#include "device/parts/learner_on.h"

namespace cane::device {

std::unique_ptr<Learner> make_host_learner(const LearnerSpec& spec, std::uint64_t most_scores) {
  return std::make_unique<LearnerOn<HostBackend>>(spec,
                                                  most_scores == 0 ? kMaxScores : most_scores);
}

std::uint64_t host_bytes(const LearnerSpec& spec) {
  return LearnerOn<CountingBackend<HostBackend>>(spec, kMaxScores).backend().bytes();
}

}  // namespace cane::device
