#include "cane/tune.h"

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/check_config.h"
#include "tune/tuning.h"

namespace cane {

TuneResult tune(const Dataset& data, const TrainConfig& config, const TuneOptions& options,
                TuneObserver* observer) {
  check_config(config);
  check_fields(options);
  TuneObserver silent;
  return run_tuning(data, config, options, observer != nullptr ? *observer : silent);
}

}  // namespace cane
