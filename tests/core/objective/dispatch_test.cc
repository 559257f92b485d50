#include "core/objective/dispatch.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace cane {
namespace {

template <typename Expected>
bool chooses(ObjectiveKind kind) {
  return with_objective(kind, 7, [](const auto& objective) {
    return std::is_same_v<std::decay_t<decltype(objective)>, Expected>;
  });
}

TEST(Dispatch, CallsTheBodyWithTheObjectiveOfTheKind) {
  EXPECT_TRUE(chooses<CandidatesVsNoises>(ObjectiveKind::kCandidatesVsNoises));
  EXPECT_TRUE(chooses<Softmax>(ObjectiveKind::kSoftmax));
  EXPECT_TRUE(chooses<NoiseContrast>(ObjectiveKind::kNoiseContrast));
  EXPECT_TRUE(chooses<NoiseContrast>(ObjectiveKind::kNegativeSampling));
  EXPECT_TRUE(chooses<BlackOut>(ObjectiveKind::kBlackOut));
  EXPECT_TRUE(chooses<OneVsEach>(ObjectiveKind::kOneVsEach));
  EXPECT_TRUE(chooses<ComplementarySum>(ObjectiveKind::kComplementarySum));
}

}  // namespace
}  // namespace cane
