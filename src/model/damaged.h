// The error about a model file whose parts do not fit together, though their checksums are right.
#pragma once

#include <string>

#include "model/safetensors.h"

namespace cane {

[[noreturn]] void fail_damaged(const SafetensorsFile& file, const std::string& what);

}  // namespace cane
