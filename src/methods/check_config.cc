#include "methods/check_config.h"

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"

namespace cane {

void check_config(const TrainConfig& config) {
  check_fields(config);
  if (config.l2 * config.lr >= 1.0F) {
    throw OptionError("l2", "it must be 0 or more, and below 1 / lr");
  }
  if (config.resume && config.checkpoint_path.empty()) {
    throw OptionError("resume", "there is no checkpoint");
  }
}

}  // namespace cane
