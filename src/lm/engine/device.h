// Selects the device that a model runs on, and sets up LibTorch for it.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>

#include "lm/engine/options.h"

namespace cane::lm {

using Note = std::function<void(const std::string& text)>;

/// "cpu", "cuda", "cuda:1", or "auto": the GPU if there is one. Throws Error if the GPU does not
/// exist. Products on a GPU may use TF32. `threads` is the number of CPU threads; 0 means one per
/// core.
torch::Device choose_device(const std::string& name, int threads, const Note& note);

/// "float32" or "bfloat16".
torch::ScalarType computing_type(Precision precision);

}  // namespace cane::lm
