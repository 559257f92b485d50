#include "methods/with_objective.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace cane {
namespace CANE_THIS_FILE {

template <typename Expected>
bool chooses(Method method) {
  return with_objective(method, 7, [](const auto& objective) {
    return std::is_same_v<std::decay_t<decltype(objective)>, Expected>;
  });
}

TEST(WithObjective, CallsTheBodyWithTheObjectiveOfTheMethod) {
  EXPECT_TRUE(chooses<CandidatesVsNoises>(Method::kCane));
  EXPECT_TRUE(chooses<Softmax>(Method::kSoftmax));
  EXPECT_TRUE(chooses<NoiseContrast>(Method::kNce));
  EXPECT_TRUE(chooses<NegativeSampling>(Method::kNeg));
  EXPECT_TRUE(chooses<BlackOut>(Method::kBlackout));
  EXPECT_TRUE(chooses<OneVsEach>(Method::kOve));
  EXPECT_TRUE(chooses<ComplementarySum>(Method::kCss));
}

TEST(WithObjective, GivesTheNumberOfClassesToWhoAsksForIt) {
  EXPECT_EQ(make_objective<OneVsEach>(7).classes, 7U);
  EXPECT_EQ(make_objective<ComplementarySum>(7).classes, 7U);
}

TEST(WithObjective, RefusesAMethodWithoutOne) {
  for (const MethodRow& row : kMethods) {
    const auto call = [&] { with_objective(row.kind, 7, [](const auto&) {}); };
    if (row.has_objective) {
      EXPECT_NO_THROW(call()) << row.name;
    } else {
      EXPECT_THROW(call(), std::logic_error) << row.name;
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
