#include "methods/check_config.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/device.h"

namespace cane {
namespace {

// Beyond these no data makes sense of a number: features of 1e-6 want rates of about 1e12. They are
// not in the list of fields because a model stores what was chosen for its data, and must load.
constexpr float kMaxRate = 1e12F;
constexpr float kMaxPower = 100.0F;

void check_reason(const char* field, float value, float most) {
  if (value <= most) return;
  throw OptionError(field, fmt::format("{} is beyond reason", value),
                    fmt::format("it must be {:g} or less", most));
}

}  // namespace

void check_config(const TrainConfig& config) {
  check_fields(config);
  parse_device(config.device);
  check_reason("lr", config.lr, kMaxRate);
  check_reason("l2", config.l2, kMaxRate);
  check_reason("noise_power", config.noise_power, kMaxPower);
  if (config.l2 * config.lr >= 1.0F) {
    throw OptionError("l2", "it must be 0 or more, and below 1 / lr");
  }
  if (config.resume && config.checkpoint_path.empty()) {
    throw OptionError("resume", "there is no checkpoint");
  }
}

}  // namespace cane
