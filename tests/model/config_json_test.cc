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
  config.tree = "some \"file\"";
  config.seed = 0xFFFFFFFFFFFFFFFF;
  config.max_depth = 0;
  config.deterministic = true;
  return config;
}

TEST(ConfigJson, ReadsWhatItWrites) {
  const TrainConfig read = config_from_json(config_to_json(unusual()), kSource);
  EXPECT_EQ(differing_fields(read, unusual()), "");
}

TEST(ConfigJson, TakesTheDefaultForWhatIsMissing) {
  nlohmann::json json = nlohmann::json::parse(config_to_json(unusual()));
  json.erase("lr");
  json.erase("select");
  TrainConfig expected = unusual();
  expected.lr = TrainConfig().lr;
  expected.select = TrainConfig().select;
  EXPECT_EQ(differing_fields(config_from_json(json.dump(), kSource), expected), "");
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
  for (const char* text : {R"({"epochs": 1e300})", R"({"epochs": -1})", R"({"epochs": 1.5})",
                           R"({"beam": 4294967296})", R"({"lr": 1e300})", R"({"rank": 65})",
                           R"({"dropout": 1.0})", R"({"epochs": 99999999999999999999})"}) {
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
