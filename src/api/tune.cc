#include "cane/tune.h"

#include "cane/error.h"
#include "methods/check_config.h"
#include "tune/tuning.h"

namespace cane {

TuneResult tune(const Dataset& data, const TrainConfig& config, const TuneOptions& options,
                TuneObserver* observer) {
  check_config(config);
  if (!(options.seconds >= 0.0)) throw Error("--budget: it must be above 0");
  if (!(options.held_out > 0.0 && options.held_out < 1.0)) {
    throw Error("--held-out: it must be between 0 and 1");
  }
  TuneObserver silent;
  return run_tuning(data, config, options, observer != nullptr ? *observer : silent);
}

}  // namespace cane
