// The shortlist of each example of a batch, and the log-probabilities of the noises, as tensors;
// kernels/plain/assemble.h defines their contents.
#pragma once

#include <torch/types.h>

#include <cstdint>

#include "kernels/plain/arguments.h"

namespace cane::layer {

struct Shortlists {
  kernels::ShortlistShape shape;
  std::int64_t streams = 1;
  std::int64_t fixed = 0;
  torch::Tensor own_classes;  // [examples, shape.own_classes()] int32; kernels::kNoClass: none
  torch::Tensor
      shared_classes;  // [shape.shared_columns()] int32; kernels::kNoClass: none, and for the label
  torch::Tensor visible_after;  // [shared_candidates - fixed] int32
  torch::Tensor log_q;          // [examples, 1 + noises]
  torch::Tensor label_at;       // [examples] int32
  torch::Tensor drawn;          // [examples] int32

  kernels::CandidateView candidates() const {
    kernels::CandidateView view;
    view.shape = shape;
    view.streams = streams;
    view.fixed = fixed;
    view.own_classes = own_classes.data_ptr<std::int32_t>();
    if (visible_after.defined()) view.visible_after = visible_after.data_ptr<std::int32_t>();
    return view;
  }
};

}  // namespace cane::layer
