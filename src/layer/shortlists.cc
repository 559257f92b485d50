#include "layer/shortlists.h"

namespace cane::layer {

kernels::CandidateView Shortlists::candidates() const {
  kernels::CandidateView view;
  view.shape = shape;
  view.streams = streams;
  view.fixed = fixed;
  view.own_classes = own_classes.data_ptr<std::int32_t>();
  if (visible_after.defined()) view.visible_after = visible_after.data_ptr<std::int32_t>();
  return view;
}

}  // namespace cane::layer
