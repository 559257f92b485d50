// The device of a training: what `device` names, and what the learners of src/device can train. One
// check over the rows of the tables refuses the rest; code elsewhere asks trains_on_device().
#pragma once

#include <string>

#include "cane/config.h"

namespace cane {

/// What `device` names: "cuda:1" is the kind "cuda" and the number 1.
struct DeviceName {
  std::string kind;
  int number = 0;
};

/// Throws OptionError unless the text is cpu, cuda or cuda:N.
DeviceName parse_device(const std::string& text);

/// Whether the epochs run on a device, not on the processor.
bool trains_on_device(const TrainConfig& config);

/// Throws OptionError naming what the device lacks and what it has instead. All options are
/// resolved; nothing is checked for a training on the processor.
void check_device_has(const TrainConfig& config);

}  // namespace cane
