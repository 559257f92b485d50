// A step after which all ranks must know whether it went well on every one of them.
#pragma once

#include <functional>
#include <vector>

#include "core/parallel/communicator.h"

namespace cane {

/// What `step` returns on each rank, in the order of the ranks. If it throws on some, all ranks
/// throw an Error: the message of the lowest of these, with its name and machine before it if there
/// are several ranks. The step may not use the communicator.
std::vector<Bytes> do_together(Communicator& ranks, const std::function<Bytes()>& step);

}  // namespace cane
