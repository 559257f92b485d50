#include "model/config_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "support/error_text.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;

const ConfigSource kSource = {.path = "some.model", .writer = "cane 9.9.9"};

TrainConfig unusual() {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kCentroid;
  config.lr = 0.1F;
  config.encoder = EncoderKind::kBag;
  config.l2 = 0.5F;
  config.tree = "some \"file\"";
  config.seed = 0xFFFFFFFFFFFFFFFF;
  config.swap_resistance = 0;
  config.noise_terms = NoiseTerms::kPooled;
  config.deterministic = true;
  return config;
}

TEST(ConfigJson, ReadsWhatItWrites) {
  const TrainConfig read = config_from_json(config_to_json(unusual()), kSource).config;
  EXPECT_EQ(differing_fields(read, unusual()), "");
}

TEST(ConfigJson, TakesTheDefaultForWhatIsMissing) {
  nlohmann::json json = nlohmann::json::parse(config_to_json(unusual()));
  json.erase("lr");
  json.erase("select");
  TrainConfig expected = unusual();
  expected.lr = TrainConfig().lr;
  expected.select = TrainConfig().select;
  EXPECT_EQ(differing_fields(config_from_json(json.dump(), kSource).config, expected), "");
}

TEST(ConfigJson, TakesRowsWithoutDecayOfOlderModels) {
  const TrainConfig read = config_from_json(R"({"method": "softmax"})", kSource).config;
  EXPECT_EQ(read.encoder, EncoderKind::kIdentity);
  EXPECT_EQ(read.l2, 0.0F);
}

// The terms of several noises were separate before there was a choice.
TEST(ConfigJson, TakesSeparateNoisesOfOlderModels) {
  const auto terms = [](const char* json) {
    return config_from_json(json, kSource).config.noise_terms;
  };
  EXPECT_EQ(terms(R"({"method": "cane", "noises": 5})"), NoiseTerms::kSeparate);
  EXPECT_EQ(terms(R"({"method": "cane", "noise-terms": "pooled"})"), NoiseTerms::kPooled);
}

TEST(ConfigJson, ReadsTheRecallTreesOfVersion01) {
  const StoredOptions stored = config_from_json(
      R"({"method": "recall-tree", "candidates": 0, "nodes": 0, "max-candidates": 5,
          "max-depth": 3, "bernoulli": 0.5})",
      kSource);
  EXPECT_EQ(stored.config.candidates, 5U);
  EXPECT_EQ(stored.config.nodes, 7U);
  EXPECT_EQ(stored.retired.bernoulli, 0.5F);
  const std::string again = config_to_json(stored.config, stored.retired);
  EXPECT_THAT(again, ::testing::HasSubstr("\"bernoulli\":0.5"));
  EXPECT_THAT(again, ::testing::Not(::testing::HasSubstr("max-")));
  EXPECT_EQ(config_from_json(again, kSource).config.nodes, 7U);
}

TEST(ConfigJson, ReadsOptionsOfVersion01ThatOtherMethodsDidNotUse) {
  const StoredOptions stored = config_from_json(
      R"({"method": "softmax", "max-candidates": 0, "max-depth": 4294967295, "bernoulli": 1.0,
          "rebuild-tree": 2})",
      kSource);
  EXPECT_EQ(
      differing_fields(stored.config, config_from_json(R"({"method": "softmax"})", kSource).config),
      "");
  EXPECT_EQ(stored.retired.rebuild_tree, 2U);
}

TEST(ConfigJson, ReadsSelectorsOfVersion01AsWhatPredictsTheSame) {
  const TrainConfig graph =
      config_from_json(R"({"select": "graph", "candidates": 4, "beam": 12})", kSource).config;
  EXPECT_EQ(graph.select, SelectorKind::kExact);
  EXPECT_EQ(graph.beam, 4U);
  const TrainConfig frequency =
      config_from_json(R"({"select": "frequency", "candidates": 4, "beam": 7})", kSource).config;
  EXPECT_EQ(frequency.select, SelectorKind::kBeam);
  EXPECT_EQ(frequency.beam, 7U);
}

TEST(ConfigJson, NamesTheNewerVersionThatKnowsAnOption) {
  nlohmann::json json = nlohmann::json::parse(config_to_json({}));
  json["from-the-future"] = 1;
  EXPECT_EQ(error_text([&] { config_from_json(json.dump(), kSource); }),
            "some.model: it was written by cane 9.9.9, which knows the option `from-the-future`; "
            "use that version");
}

TEST(ConfigJson, NamesTheNewerVersionThatKnowsAValue) {
  nlohmann::json json = nlohmann::json::parse(config_to_json({}));
  json["method"] = "from-the-future";
  EXPECT_THAT(error_text([&] { config_from_json(json.dump(), kSource); }),
              ::testing::AllOf(::testing::HasSubstr("some.model"),
                               ::testing::HasSubstr("cane 9.9.9"), ::testing::HasSubstr("`method`"),
                               ::testing::HasSubstr("'from-the-future'")));
}

TEST(ConfigJson, RefusesWhatIsNoObjectOfOptions) {
  for (const char* text : {"", "[]", "{\"lr\": \"fast\"}", "{\"lr\": 0.1"}) {
    EXPECT_THAT(error_text([&] { config_from_json(text, kSource); }),
                ::testing::HasSubstr("some.model"))
        << text;
  }
}

TEST(ConfigJson, RefusesNumbersThatDoNotFit) {
  for (const char* text :
       {R"({"epochs": 1e300})", R"({"epochs": -1})", R"({"epochs": 1.5})",
        R"({"beam": 4294967296})", R"({"lr": 1e300})", R"({"rank": 65})", R"({"dropout": 1.0})",
        R"({"max-depth": 31})", R"({"bernoulli": -1})", R"({"epochs": 99999999999999999999})"}) {
    EXPECT_THAT(error_text([&] { config_from_json(text, kSource); }),
                ::testing::HasSubstr("some.model"))
        << text;
  }
}

TEST(ConfigJson, QuotesLittleAndNoControlBytes) {
  const std::string long_name(5000, 'x');
  const std::string text = "{\"" + long_name + "\u0007\": 1}";
  const std::string message =
      error_text([&] { config_from_json(text, {.path = "m", .writer = long_name}); });
  EXPECT_LT(message.size(), 600U);
  const std::string escaped = error_text([&] { config_from_json(R"({"a\u0007b": 1})", kSource); });
  EXPECT_THAT(escaped, ::testing::HasSubstr("a\\x07b"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
