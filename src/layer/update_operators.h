// The optimiser step on a table as a torch operator, for cane.torch's row optimisers:
//
//   row_update_(Tensor(a!) table, Tensor(b!)? first, Tensor(c!)? second, Tensor? rows,
//       Tensor values, Tensor rate, Tensor step, str rule, float first_decay, float second_decay,
//       float epsilon, float weight_decay, bool distinct) -> ()
//
// `rule` is sgd, adagrad (has `second`) or adam (has both moments). `rows` [R] int64 are the rows
// that have a gradient, values [R, ...]; the values of a repeated row add up, unless `distinct`
// promises that there are none, and -1 is an unused place. Without `rows`, `values` is the gradient
// of the whole table. `rate` (float32) and `step` (int64, 0 at first) are single values on the
// table's device, so that a recorded CUDA graph reads them anew. Tables are float32 or bfloat16
// (rounded at random: kernels/plain/numbers.h); moments are float32 and laid out as the table,
// which with `rows` is contiguous.
//
// With `rows`, adam adds epsilon as torch.optim.SparseAdam does, otherwise as Adam does.
#pragma once

namespace cane::layer {

/// Does nothing; calling it links the operator into the program.
void register_update_operators();

}  // namespace cane::layer
