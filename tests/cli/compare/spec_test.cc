#include "cli/cane/compare/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cane/names.h"
#include "support/error_text.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

using cane::testing::error_text;

TrainConfig config_of(const std::string& spec, const TrainConfig& common = {}) {
  return parse_methods(spec, common).at(0).config;
}

TEST(MethodSpec, ReadsSelectorCandidatesAndNoises) {
  const TrainConfig config = config_of("cane:narrow:9+2:rank=32:start=zero");
  EXPECT_EQ(config.method, Method::kCane);
  EXPECT_EQ(config.select, SelectorKind::kNarrow);
  EXPECT_EQ(config.candidates, 9U);
  EXPECT_EQ(config.noises, 2U);
  EXPECT_EQ(config.rank, 32U);
  EXPECT_EQ(config.start, StartKind::kZero);
}

TEST(MethodSpec, ReadsALoneNumberAsNoises) {
  const TrainConfig config = config_of("blackout:10:noise-power=0.5");
  EXPECT_EQ(config.method, Method::kBlackout);
  EXPECT_EQ(config.noises, 10U);
  EXPECT_EQ(config.candidates, 0U);
  EXPECT_EQ(config.noise_power, 0.5F);
}

TEST(MethodSpec, TakesWhatItDoesNotSayFromTheCommonOptions) {
  TrainConfig common;
  common.lr = 0.25F;
  common.epochs = 7;
  common.seed = 3;
  const auto specs =
      parse_methods("softmax:lr=0.5,hsm:tree=huffman,cane:deterministic=true", common);
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].config.lr, 0.5F);
  EXPECT_EQ(specs[1].config.lr, 0.25F);
  EXPECT_EQ(specs[1].config.tree, "huffman");
  EXPECT_TRUE(specs[2].config.deterministic);
  EXPECT_FALSE(specs[1].config.deterministic);
  for (const MethodSpec& spec : specs) {
    EXPECT_EQ(spec.config.epochs, 7U);
    EXPECT_EQ(spec.config.seed, 3U);
  }
  EXPECT_EQ(specs[1].name, "hsm:tree=huffman");
}

TEST(MethodSpec, KnowsEveryMethodAndSelector) {
  for (const auto& entry : named_values<Method>())
    EXPECT_EQ(config_of(entry.name).method, entry.value);
  for (const auto& entry : named_values<SelectorKind>()) {
    EXPECT_EQ(config_of(std::string("cane:") + entry.name).select, entry.value);
  }
}

TEST(MethodSpec, NamesWhatIsWrong) {
  const auto error_of = [](const char* list) {
    return error_text([&] { parse_methods(list, {}); });
  };
  EXPECT_THAT(error_of("hsm,nse:10"),
              ::testing::HasSubstr("'nse:10': there is no method 'nse' (do you mean 'nce'?)"));
  EXPECT_THAT(error_of("hsm,hsm"), ::testing::HasSubstr("twice"));
  EXPECT_THAT(error_of("cane:patience=3"), ::testing::HasSubstr("there is no option 'patience'"));
}

TEST(MethodSpec, ShowsOptionsAsTheyAreTyped) {
  TrainConfig config;
  config.lr = 0.5F;
  config.deterministic = true;
  const auto options = method_options(config);
  const auto has = [&](const char* name, const char* value) {
    return std::find(options.begin(), options.end(),
                     std::pair<std::string, std::string>(name, value)) != options.end();
  };
  EXPECT_TRUE(has("lr", "0.5"));
  EXPECT_TRUE(has("candidates", "auto"));
  EXPECT_TRUE(has("deterministic", "true"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
