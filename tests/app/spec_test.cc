#include "app/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/error.h"
#include "support/error_text.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

using cane::testing::error_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& list) {
  return error_text([&] { for_each_spec("--heads", list, [](const Spec&) {}); });
}

TEST(Specs, AreCutAtCommasAndColons) {
  std::vector<Spec> specs;
  for_each_spec("--heads", "softmax,cane:noises=5:rank=3",
                [&](const Spec& spec) { specs.push_back(spec); });
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_THAT(specs[0].parts, ElementsAre("softmax"));
  EXPECT_EQ(specs[1].text, "cane:noises=5:rank=3");
  EXPECT_THAT(specs[1].parts, ElementsAre("cane", "noises=5", "rank=3"));
}

TEST(Specs, RefuseEmptyPartsAndRepetitions) {
  EXPECT_THAT(error_of("cane::noises=5"),
              HasSubstr("--heads: 'cane::noises=5': there is nothing after a colon"));
  EXPECT_THAT(error_of("cane:"), HasSubstr("there is nothing after a colon"));
  EXPECT_THAT(error_of("nce,cane,nce"), HasSubstr("--heads: 'nce' is there twice"));
}

TEST(Specs, NameTheOneThatTheProgramRefuses) {
  const auto refuse_empty = [](const Spec& spec) {
    if (spec.parts[0].empty()) throw Error("there is no head ''");
  };
  EXPECT_EQ(error_text([&] { for_each_spec("--heads", "nce,", refuse_empty); }),
            "--heads: '': there is no head ''");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
