#include "device/host_backend.h"

#include "device/learner_on.h"

namespace cane::device {

std::unique_ptr<Learner> make_host_learner(const LearnerSpec& spec) {
  return std::make_unique<LearnerOn<HostBackend>>(spec);
}

std::uint64_t host_bytes(const LearnerSpec& spec) {
  return bytes_on<HostBackend>(spec);
}

}  // namespace cane::device
