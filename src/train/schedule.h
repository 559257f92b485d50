// The learning rate as a function of how much of the training is done, in [0, 1).
#pragma once

#include "cane/config.h"

namespace cane {

inline float learning_rate(const TrainConfig& config, double done) {
  switch (config.schedule) {
    case Schedule::kConstant:
      return config.lr;
    case Schedule::kLinear:
      return config.lr * static_cast<float>(1.0 - done);
  }
  return config.lr;
}

}  // namespace cane
