#include "methods/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/error.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "support/error_text.h"
#include "support/method_rows.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;

TEST(Device, IsTheProcessorOrAGpuOfANumber) {
  EXPECT_EQ(parse_device("cpu").kind, "cpu");
  EXPECT_EQ(parse_device("cuda").number, 0);
  EXPECT_EQ(parse_device("cuda:0").number, 0);
  EXPECT_EQ(parse_device("cuda:17").kind, "cuda");
  EXPECT_EQ(parse_device("cuda:17").number, 17);
  for (const char* wrong : {"", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:1x", "cuda 1", "cuda:+1",
                            "cuda:99999999999", "cpu:0", "mpi"}) {
    EXPECT_THAT(testing::error_text([&] { parse_device(wrong); }), HasSubstr("`device`: unknown"))
        << wrong;
  }
}

// Rows that a device has are resolved as they are; all others are refused by their name.
TEST(Device, TrainsWhatItsTablesSay) {
  const DataFacts facts = {1000, 12, 400, 1.0};
  for (testing::MethodRow row : testing::method_rows()) {
    SCOPED_TRACE(row.name);
    const TrainConfig usual = resolve(row.config, facts).config;
    row.config.device = "cuda";
    const bool is_there =
        row_of(usual.method).trains_on_device && row_of(usual.encoder).trains_on_device &&
        (!row_of(usual.method).has_candidates || row_of(row.config.select).trains_on_device ||
         row.config.select == SelectorKind::kAuto);
    if (is_there) {
      EXPECT_NO_THROW(resolve(row.config, facts));
    } else {
      const std::string refused = testing::error_text([&] { resolve(row.config, facts); });
      EXPECT_THAT(refused, HasSubstr("`device`: cuda"));
      EXPECT_THAT(refused, HasSubstr("`device cpu`"));
    }
  }
}

TEST(Device, NamesWhatItHasInstead) {
  TrainConfig config;
  config.device = "cuda:1";
  config.method = Method::kCane;
  config.select = SelectorKind::kCentroid;
  EXPECT_EQ(testing::error_text([&] {
              resolve(config, {1000, 12, 400, 1.0});
            }),
            "`device`: cuda:1 does not train `select centroid`; it has none, frequent and batch; "
            "begin with one of these, such as `select none`, or use `device cpu`");
  config.method = Method::kHsm;
  config.select = SelectorKind::kAuto;
  EXPECT_EQ(testing::error_text([&] {
              resolve(config, {1000, 12, 400, 1.0});
            }),
            "`device`: cuda:1 does not train `method hsm`; it has cane and softmax; begin with one "
            "of these, such as `method cane`, or use `device cpu`");
}

TEST(Device, MultipliesRowsThatAreDenseOrEncodedOrWrittenOutForAList) {
  TrainConfig config;
  config.device = "cuda";
  const DataFacts texts = {1000, 100'000, 50'000, 0.0001};
  EXPECT_EQ(resolve(config, texts).config.encoder, EncoderKind::kBag);
  config.encoder = EncoderKind::kIdentity;
  EXPECT_THAT(testing::error_text([&] { resolve(config, texts); }),
              HasSubstr("none multiplies dense rows, and 100000 features are too many; use "
                        "`encoder bag`"));
  config.encoder = EncoderKind::kBag;
  EXPECT_EQ(resolve(config, texts).config.method, Method::kSoftmax);
  config.encoder = EncoderKind::kIdentity;
  const DataFacts few_features = {1000, 10'000, 50'000, 0.001};
  EXPECT_EQ(resolve(config, few_features).config.select, SelectorKind::kNone);
  config.method = Method::kSoftmax;
  EXPECT_THAT(testing::error_text([&] { resolve(config, few_features); }),
              HasSubstr("`device`: cuda multiplies dense rows, and these are sparse with 10000 "
                        "features; use `encoder bag`, or `device cpu`"));
}

TEST(Device, ListsTheFrequentClassesWhereTheseAreManyOfTheExamples) {
  TrainConfig config;
  config.device = "cuda";
  DataFacts facts = {1'000'000, 64, 3'000'000, 1.0};
  facts.frequent_share = 0.001;
  const TrainConfig even = resolve(config, facts).config;
  EXPECT_EQ(even.select, SelectorKind::kNone);
  EXPECT_EQ(even.batch, 1024U);
  EXPECT_EQ(even.noises, 8192U);
  facts.frequent_share = 0.5;
  EXPECT_EQ(resolve(config, facts).config.select, SelectorKind::kFrequent);
  config.batch = 64;
  EXPECT_EQ(resolve(config, facts).config.noises, 1024U);
}

TEST(Device, GetsSomethingThatItHasWhereOptionsAreOpen) {
  for (const std::uint32_t classes : {2U, 150U, 5000U, 29'000U, 40'000U, 2'000'000U}) {
    for (const double density : {0.001, 1.0}) {
      for (const EncoderKind encoder : {EncoderKind::kIdentity, EncoderKind::kBag}) {
        TrainConfig config;
        config.device = "cuda";
        config.encoder = encoder;
        const TrainConfig chosen = resolve(config, {classes, 100, 10 * classes, density}).config;
        EXPECT_NO_THROW(check_device_has(chosen));
        EXPECT_GT(chosen.batch, 0U);
      }
    }
  }
}

TEST(Device, TakesAllClassesOfDenseRowsWhereTheProcessorWouldSearch) {
  TrainConfig config;
  const DataFacts facts = {20'000, 144, 240'000, 1.0};
  EXPECT_EQ(resolve(config, facts).config.method, Method::kCane);
  config.device = "cuda";
  EXPECT_EQ(resolve(config, facts).config.method, Method::kSoftmax);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
