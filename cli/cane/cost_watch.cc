#include "cli/cane/cost_watch.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr double kLooksFor = 1.5;  // seconds, as long as --dry-run times its batches
// Small differences are noise of the machine or of an allocator.
constexpr double kFar = 2.0;
constexpr double kSecondsOfNoise = 10.0;
constexpr double kBytesOfNoise = 256.0 * (1 << 20);

}  // namespace

std::vector<std::string> cost_warnings(double promised, double seconds,
                                       std::uint64_t expected_bytes, std::uint64_t peak_bytes) {
  std::vector<std::string> found;
  if (promised > 0.0 && seconds > kFar * promised + kSecondsOfNoise) {
    found.push_back(
        fmt::format("training took {}, where its beginning promised {}; other programs may have "
                    "had the processors, or memory was short",
                    seconds_text(seconds), seconds_text(promised)));
  }
  const auto expected = static_cast<double>(expected_bytes);
  if (expected > 0.0 && static_cast<double>(peak_bytes) > kFar * expected + kBytesOfNoise) {
    found.push_back(fmt::format("it took {} of memory, where --dry-run says {}",
                                bytes_as_text(peak_bytes), bytes_as_text(expected_bytes)));
  }
  return found;
}

std::uint64_t peak_memory() {
  struct rusage usage {};
  constexpr std::uint64_t kUnit = 1024;
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit
                                               : 0;
}

void CostWatch::look(const TrainProgress& progress) {
  if (!since_start_) since_start_.emplace();
  const double seconds = since_start_->seconds();
  if (promised_ == 0.0 && seconds >= kLooksFor) promised_ = seconds + progress.seconds_left;
}

}  // namespace cane::cli
