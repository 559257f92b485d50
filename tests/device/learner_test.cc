// What a learner of a device promises about its memory and its tables. What it learns is compared
// in tests/conformance.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "device/host_backend.h"
#include "device/learner_on.h"

namespace cane::device {
namespace CANE_THIS_FILE {

using device::Table;
using ::testing::HasSubstr;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

TrainConfig config_of(Method method) {
  TrainConfig config;
  config.whiten = WhitenKind::kOff;  // as on a device
  config.method = method;
  config.batch = 8;
  config.lr = 0.1F;
  if (method == Method::kCane) {
    config.select = SelectorKind::kNarrow;
    config.scorer = ScorerKind::kFlat;
    config.candidates = 4;
    config.noises = 2;
    config.rank = 4;
  }
  if (is_kept) {
    spec.kept_examples = 9;
    spec.kept_values = has_encoder ? 40 : 0;
  }
  return spec;
}

class MeasuredBackend : public HostBackend {
 public:
  void* allocate(std::uint64_t bytes) {
    taken += (bytes + 511) / 512 * 512;
    return HostBackend::allocate(bytes);
  }
  std::uint64_t taken = 0;
};

TEST(DeviceLearner, TakesTheMemoryThatItSays) {
  for (const bool has_encoder : {false, true}) {
    for (const bool lists_all : {false, true}) {
      for (const bool is_kept : {false, true}) {
        const LearnerSpec spec = small_spec(has_encoder, lists_all, is_kept);
        LearnerOn<MeasuredBackend> learner(spec);
        const std::uint64_t sorting = has_encoder ? HostBackend::sort_bytes(20) : 0;
        EXPECT_EQ(bytes_on<MeasuredBackend>(spec), learner.backend().taken + sorting);
      }
    }
  }
}

TEST(DeviceLearner, GivesBackWhatItWasGiven) {
  const LearnerSpec spec = small_spec(true, false, true);
  const auto learner = make_host_learner(spec);
  for (const Table table : {Table::kClasses, Table::kEncoder}) {
    const TableSpec& own = table == Table::kClasses ? spec.classes : spec.encoder;
    std::vector<float> weights(own.size());
    std::vector<float> sums(own.sums);
    std::iota(weights.begin(), weights.end(), 1.0F);
    std::iota(sums.begin(), sums.end(), 1000.0F);
    learner->upload(table, weights, sums);
    std::vector<float> back_weights(own.size());
    std::vector<float> back_sums(own.sums);
    learner->download(table, back_weights, back_sums);
    EXPECT_EQ(back_weights, weights);
    EXPECT_EQ(back_sums, sums);
    EXPECT_THROW(learner->upload(table, sums, weights), std::runtime_error);
  }
}

TEST(DeviceLearner, RefusesStepsThatItHasNoRoomFor) {
  const auto learner = make_host_learner(small_spec(false, false, true));
  for (const StepOptions& wrong :
       {StepOptions{.examples = 0, .columns = 3}, StepOptions{.examples = 5, .columns = 3},
        StepOptions{.examples = 4, .columns = 8},
        StepOptions{.examples = 4, .columns = 3, .entry_classes = 5}}) {
    EXPECT_THROW(learner->step(wrong), std::runtime_error);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::device
