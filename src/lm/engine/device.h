// Where a model runs, and how LibTorch is set up for it.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>

#include "lm/engine/options.h"

namespace cane::lm {

using Note = std::function<void(const std::string& text)>;

/// "cpu", "cuda", "cuda:1", or "auto": the GPU if there is one. Throws Error for a GPU that is not
/// there. Products on a GPU may use TF32. `threads` of the CPU; 0: one for each core.
torch::Device choose_device(const std::string& name, int threads, const Note& note);

/// "float32" or "bfloat16".
torch::ScalarType computing_type(Precision precision);

}  // namespace cane::lm
