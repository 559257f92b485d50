#include "api/check_config.h"

#include <cmath>

#include "cane/error.h"

namespace cane {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw Error(message);
}

}  // namespace

void check_config(const TrainConfig& config) {
  require(config.candidates >= 1, "--candidates: it must be 1 or more");
  require(config.noises >= 1, "--noises: it must be 1 or more");
  require(config.arity >= 2, "--arity: it must be 2 or more");
  require(config.epochs >= 1, "--epochs: it must be 1 or more");
  require(config.batch >= 1, "--batch: it must be 1 or more");
  require(std::isfinite(config.lr) && config.lr >= 0.0F, "--lr: it must be above 0");
  require(std::isfinite(config.l2) && config.l2 >= 0.0F && config.l2 * config.lr < 1.0F,
          "--l2: it must be 0 or more, and below 1 / lr");
  require(std::isfinite(config.clip) && config.clip >= 0.0F, "--clip: it must be 0 or more");
  require(config.threads >= 0, "--threads: it must be 0 or more");
  require(!config.resume || !config.checkpoint_path.empty(), "--resume: there is no checkpoint");
}

}  // namespace cane
