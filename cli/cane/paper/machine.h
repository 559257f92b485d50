// The machine that measured something, in words.
#pragma once

#include <string>

namespace cane::cli::paper {

/// "AMD EPYC 9554, 2 cores, 23.4 GiB", and the GPU if there is one.
std::string machine_text();
/// The model of the first NVIDIA GPU; empty without one.
std::string gpu_text();

}  // namespace cane::cli::paper
