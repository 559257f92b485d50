// The step of the optimiser on the CPU. Results do not depend on the number of threads.
#pragma once

#include "lm/update/update_task.h"

namespace cane::lm::cpu {

void update(const UpdateTask& task);

}  // namespace cane::lm::cpu
