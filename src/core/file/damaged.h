// The error about a model file whose parts do not fit together, though their checksums are right.
#pragma once

#include <string>

#include "core/file/safetensors.h"

namespace cane {

[[noreturn]] void throw_damaged(const SafetensorsFile& file, const std::string& what);

}  // namespace cane
