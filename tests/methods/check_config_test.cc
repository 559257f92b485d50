#include "methods/check_config.h"

#include <gtest/gtest.h>

#include "cane/error.h"
#include "cane/names.h"
#include "methods/resolve.h"
#include "support/error_text.h"
#include "support/method_rows.h"

namespace cane {
namespace CANE_THIS_FILE {

TEST(ValidationError, IsNoneForWhatResolveMakes) {
  for (const testing::MethodRow& row : testing::method_rows()) {
    for (const std::uint32_t classes : {2U, 1000U}) {
      EXPECT_EQ(validation_error(resolve(row.config, {classes, 10, 100, 1.0}).config), nullptr)
          << row.name;
    }
  }
}

// What resolve() refuses or would still fill in, a file must not say either.
TEST(ValidationError, FindsEveryCombinationOfPartsThatCannotBe) {
  for (const auto& method : named_values<Method>()) {
    for (const auto& select : named_values<SelectorKind>()) {
      for (const auto& scorer : named_values<ScorerKind>()) {
        TrainConfig config;
        config.method = method.value;
        config.select = select.value;
        config.scorer = scorer.value;
        bool stays = true;
        TrainConfig resolved = config;
        try {
          resolved = resolve(config, {1000, 10, 100, 1.0}).config;
          stays = resolved.method == config.method && resolved.select == config.select &&
                  resolved.scorer == config.scorer;
        } catch (const Error&) {
          stays = false;
        }
        resolved.method = config.method;
        resolved.select = config.select;
        resolved.scorer = config.scorer;
        if (resolved.beam == 0) resolved.beam = 9;
        if (resolved.candidates == 0) resolved.candidates = 9;
        EXPECT_EQ(validation_error(resolved) == nullptr, stays)
            << method.name << " " << select.name << " " << scorer.name;
      }
    }
  }
}

std::string refused(void (*change)(TrainConfig&)) {
  TrainConfig config;
  change(config);
  return testing::error_text([&] { check_config(config); });
}

TEST(CheckConfig, NamesTheOptionThatIsOutOfRange) {
  EXPECT_EQ(refused([](TrainConfig& c) { c.lr = 1e30F; }),
            "`lr`: 1e+30 is out of range; it must be 1e+12 or less");
  EXPECT_EQ(refused([](TrainConfig& c) { c.l2 = 1e30F; }),
            "`l2`: 1e+30 is out of range; it must be 1e+12 or less");
  EXPECT_EQ(refused([](TrainConfig& c) { c.noise_power = 101.0F; }),
            "`noise_power`: 101 is out of range; it must be 100 or less");
  EXPECT_EQ(refused([](TrainConfig& c) { c.rank = 65; }),
            "`rank`: it must be from 1 to 64, or auto");
}

TEST(CheckConfig, NamesTheOptionThatContradictsAnother) {
  EXPECT_EQ(refused([](TrainConfig& c) { c.l2 = c.lr = 1.0F; }),
            "`l2`: it must be 0 or more, and below 1 / lr");
  EXPECT_EQ(refused([](TrainConfig& c) { c.resume = true; }), "`resume`: there is no checkpoint");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
