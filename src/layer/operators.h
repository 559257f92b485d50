// The parts of a sampled output layer as torch operators, torch.ops.cane.*, for CPU and CUDA; the
// shapes for tracing (Meta) are registered by the Python module. Classes are int32 and -1 means no
// class. Targets are int64: a class, -1 for no label (candidates and noises alone), or below -1 for
// padding, which has no classes, no loss and no gradient. Features and scores are float32; weight
// is float32 or bfloat16, bias float32. B examples, K classes, D features. Shapes depend on sizes
// only, so that nothing waits for a GPU; unused places are -1 and zero.
//
// A shortlist has the columns [C own candidates | S candidates of the batch | label | N noises of
// the batch | n own noises], padded to a multiple of 8 (`stride`):
//   own_classes [B, C + 1 + n], shared_classes [S + 1 + N] (the label's place is -1),
//   log_q [B, 1 + N + n], label_at [B] the label's column, drawn [B] noises that count or -1.
//
// Made once:
//   noise_law(Tensor counts, float power, Tensor excluded) -> (Tensor cells, Tensor outcomes,
//       Tensor masses): count^power over the classes that are not excluded
//   columns_of_classes(Tensor shared_candidates, int classes) -> Tensor [K]
//
// 1. Candidates, without the example's own label:
//   proposal_blocks(Tensor features, Tensor rows, Tensor bias, int block) -> (Tensor high,
//       Tensor log_mass): [B, K / block] largest score and log-sum-exp of each block of classes
//   batch_classes(Tensor target, Tensor column_of_class, int first_column) -> (Tensor classes,
//       Tensor visible_after, Tensor column_of_class): the labels of the other examples, [B] each
//
// 2. Noises and the shortlist:
//   draw_noises(Tensor cells, Tensor outcomes, int seed, Tensor step, Tensor? examples, int noises)
//       -> Tensor: [B, noises], or [noises] for the whole batch
//   proposal_outside(Tensor features, Tensor rows, Tensor bias, Tensor order, Tensor places,
//       Tensor log_mass, int block, bool conditional, Tensor candidates) -> Tensor: log_mass of the
//       blocks without the candidates; conditional: log_mass is not the sum over the block's scores
//       but a mass that they share out
//   proposal_noises(Tensor features, Tensor rows, Tensor bias, Tensor order, Tensor places,
//       Tensor outside, int block, Tensor candidates, Tensor target, int noises, int seed,
//       Tensor step, Tensor? others=None) -> (Tensor classes, Tensor log_q): [B, noises],
//       [B, 1 + noises]. others [B, 2]: the log-mass outside the candidates of the ranks before and
//       after, where classes are divided among ranks; draws that fall to them are -1 and infinity.
//   shortlist(Tensor target, Tensor own_candidates, Tensor shared_candidates, Tensor visible_after,
//       Tensor own_noises, Tensor shared_noises, Tensor column_of_class, Tensor masses,
//       Tensor? log_q, str method) -> (Tensor own_classes, Tensor shared_classes, Tensor log_q,
//       Tensor label_at, Tensor drawn)
//       visible_after belongs to the last shared candidates. log_q: given by a proposal that has
//       left the own candidates out; without it the law has `masses` [K].
//
// 3. Scores, differentiable in hidden, weight and bias:
//   class_scores(Tensor hidden, Tensor weight, Tensor bias, Tensor own_classes,
//       Tensor shared_classes, int own_noises, int shared_noises, Tensor? row_ids,
//       Tensor? row_values, Tensor? row_count) -> Tensor [B, stride]; minus infinity without class
//       Backward gives sparse gradients of weight and bias or, if there are row buffers, writes
//       rows and values there (record_rows).
//
// 4. The loss, differentiable in scores:
//   shortlist_loss(Tensor scores, Tensor visible_after, Tensor log_q, Tensor label_at,
//       Tensor drawn, int own_candidates, int fixed, int classes, str method)
//       -> (Tensor losses [B], Tensor gradient [B, stride]): d loss / d score of each example;
//       `fixed` candidates of the batch are seen by all examples, before the classes of
//       visible_after
//
// 5. Backward of 3:
//   class_scores_backward(Tensor gradient, Tensor hidden, Tensor weight, Tensor bias,
//       Tensor own_classes, Tensor shared_classes, int own_noises, int shared_noises)
//       -> (Tensor hidden_gradient, Tensor rows [R] int64, Tensor values [R, W])
//       R = min(entries, K) distinct rows; W is D + 1 rounded up to a multiple of 8, the gradient
//       of the bias being in column D.
//   record_rows(Tensor(a!) row_ids, Tensor(b!) row_values, Tensor(c!) row_count, Tensor rows,
//       Tensor values) -> (): into the slot row_count of buffers [slots, R], [slots, R, W]
//   is_in_backward() -> bool: whether this thread runs a backward pass, as checkpointing does when
//       it computes a forward pass again
//
// The full softmax by blocks of classes, differentiable in hidden, weight and bias:
//   softmax_loss(Tensor hidden, Tensor weight, Tensor bias, Tensor target, float smoothing)
//       -> (Tensor losses, Tensor log_normalizer)
//   softmax_loss_backward(Tensor gradient, Tensor hidden, Tensor weight, Tensor bias,
//       Tensor target, Tensor log_normalizer, float smoothing)
//       -> (Tensor hidden_gradient, Tensor weight_gradient, Tensor bias_gradient)
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>
#include <torch/types.h>

#include <cstdint>

#include "kernels/plain/shape.h"
#include "layer/shortlists.h"

namespace cane::layer {

/// While it lives, tensors are plain numbers: nothing is recorded for autograd, and autocast does
/// not change the type of a product inside an operator.
struct PlainTensors {
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  c10::impl::ExcludeDispatchKeyGuard no_autocast{
      c10::DispatchKeySet({c10::DispatchKey::AutocastCPU, c10::DispatchKey::AutocastCUDA})};
};

/// Throws an error that names the operand.
void require(bool holds, const char* operand, const char* what);

/// The tensor, contiguous and of this type; throws an error that names it.
torch::Tensor checked(const torch::Tensor& tensor, const char* operand, torch::ScalarType type,
                      std::int64_t dimensions);

/// Classes [..] int32, the weight [K, D] and the bias [K].
torch::Tensor checked_classes(const torch::Tensor& classes, const char* operand,
                              std::int64_t dimensions);
void check_tables(const torch::Tensor& hidden, const torch::Tensor& weight,
                  const torch::Tensor& bias);

/// The shortlists that class_scores needs: shape and classes, the shared ones padded.
Shortlists lists_of(const torch::Tensor& own_classes, const torch::Tensor& shared_classes,
                    std::int64_t own_noises, std::int64_t shared_noises);

}  // namespace cane::layer
