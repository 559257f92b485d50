#include "methods/validate.h"

#include <gtest/gtest.h>

#include "cane/error.h"
#include "cane/names.h"
#include "methods/resolve.h"
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

}  // namespace CANE_THIS_FILE
}  // namespace cane
