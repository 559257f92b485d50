#include "methods/check_config.h"

#include <cmath>

#include "cane/error.h"
#include "methods/limits.h"

namespace cane {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw Error(message);
}

}  // namespace

void check_config(const TrainConfig& config) {
  require(config.arity >= 2, "--arity: it must be 2 or more");
  require(config.epochs >= 1, "--epochs: it must be 1 or more");
  require(config.rank >= 1 && config.rank <= 64, "--rank: it must be from 1 to 64");
  require(config.dim >= 1 && config.dim <= kMaxWidthEncoder, "--dim: it must be from 1 to 4096");
  require(config.layers >= 1 && config.layers <= kMaxDepthEncoder,
          "--layers: it must be from 1 to 16");
  require(config.dropout >= 0.0F && config.dropout < 1.0F,
          "--dropout: it must be 0 or more, and below 1");
  require(std::isfinite(config.noise_power) && config.noise_power >= 0.0F,
          "--noise-power: it must be 0 or more");
  require(std::isfinite(config.lr) && config.lr >= 0.0F, "--lr: it must be above 0");
  require(std::isfinite(config.l2) && config.l2 >= 0.0F && config.l2 * config.lr < 1.0F,
          "--l2: it must be 0 or more, and below 1 / lr");
  require(std::isfinite(config.clip) && config.clip >= 0.0F, "--clip: it must be 0 or more");
  require(config.nodes <= kMaxNodes, "--nodes: it must be 1073741824 or less");
  require(config.max_depth == TrainConfig::kAutoDepth || config.max_depth <= kMaxDepthRecallTree,
          "--max-depth: it must be 30 or less");
  require(std::isfinite(config.bernoulli) && config.bernoulli >= 0.0F,
          "--bernoulli: it must be 0 or more");
  require(config.threads >= 0, "--threads: it must be 0 or more");
  require(!config.resume || !config.checkpoint_path.empty(), "--resume: there is no checkpoint");
}

}  // namespace cane
