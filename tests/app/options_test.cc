#include "app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/fields.h"
#include "support/error_text.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

using testing::error_text;

constexpr Verb kVerb = {"verb", "does something", nullptr};

TEST(Options, SetsFieldsByTheirFlags) {
  TrainConfig config;
  DataOptions data;
  Options options(kVerb, "");
  options.add_groups(config, {kMethodGroup, kLearningGroup});
  options.add_groups(data, {kReadingGroup});
  ASSERT_TRUE(options.parse({"--arity", "3", "--lr", "0.5", "--deterministic", "--no-cache",
                             "--labels", "y.npy", "--batch", "auto"}));
  EXPECT_EQ(config.arity, 3U);
  EXPECT_EQ(config.lr, 0.5F);
  EXPECT_EQ(config.batch, 0U);
  EXPECT_TRUE(config.deterministic);
  EXPECT_FALSE(data.use_cache);
  EXPECT_EQ(data.labels_path, "y.npy");
}

TEST(Options, AcceptsWhatAnOptionWasCalledBefore) {
  DataOptions data;
  Options options(kVerb, "");
  options.add_groups(data, {kReadingGroup});
  ASSERT_TRUE(options.parse({"--cache-dir", "here"}));
  EXPECT_EQ(data.cache_directory, "here");
}

TEST(Options, ShowFieldsAsTheyAreWhateverTheyWereWhenDeclared) {
  TrainConfig config;
  config.deterministic = true;
  DataOptions data;
  data.use_cache = false;
  Options options(kVerb, "");
  options.add_fields(config, {"deterministic"});
  options.add_fields(data, {"use_cache"});
  EXPECT_THAT(options.values(), ::testing::ElementsAre(::testing::Pair("deterministic", "true"),
                                                       ::testing::Pair("no-cache", "true")));
}

TEST(Options, RefuseAValueOutOfRangeByItsFlag) {
  EvaluateOptions measures;
  Options options(kVerb, "");
  options.add_groups(measures, {kPlainGroup});
  EXPECT_EQ(error_text([&] {
              options.parse({"--noises", "0"});
            }),
            "--noises: it must be 1 or more");
  EXPECT_EQ(error_text([&] {
              options.parse({"--log-loss", "maybe"});
            }),
            "--log-loss: unknown value 'maybe'; it takes none|estimate|exact|auto");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
