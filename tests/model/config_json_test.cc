#include "model/config_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "support/error_text.h"

namespace cane {
namespace {

using testing::error_text;

const ConfigSource kSource = {.path = "some.model", .writer = "cane 9.9.9"};

TrainConfig unusual() {
  TrainConfig config;
  config.method = Method::kCane;
  config.select = SelectorKind::kGraph;
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

}  // namespace
}  // namespace cane
