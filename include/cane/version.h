#pragma once

#include <string>

namespace cane {

/// "0.1.0"
std::string version();
/// The instruction set chosen at run time, for example "AVX2".
std::string instruction_set();

}  // namespace cane
