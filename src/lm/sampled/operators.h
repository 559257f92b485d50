// The sampled losses as torch operators, so that torch.ops.cane.* can be called where the library
// is loaded. Words are int32, -1 means no word, labels are int64. All operators work on the device
// of their tensors.
//
//   columns_of_words(shared_candidates, words) -> [words] int32
//     the position of each word among the candidates of the batch; made once for a fixed set
//   noise_law(counts, power, excluded) -> (cells, outcomes, masses)
//     count^power over the words that are not in `excluded`
//   draw_noises(cells, outcomes, masses, seed, step, tokens, noises) -> [tokens, noises]
//     or [noises] for all tokens if tokens is 0; a pure function of seed and step
//   candidates_loss(hidden, weight, bias, labels, token_candidates, shared_candidates,
//                   token_noises, shared_noises, column_of_word, masses) -> mean loss of CANE
//     the law must have no mass on shared candidates; own candidates of a token are distinct
//   label_loss(hidden, weight, bias, labels, token_noises, shared_noises, masses, objective)
//     -> mean loss of nce, neg, blackout or css (uniform masses)
//
// Losses are differentiable in hidden, weight and bias, float32 or bfloat16; tables are float32,
// and their gradients are sparse.
#pragma once

namespace cane::lm {

/// Does nothing; calling it links the operators into the program.
void register_operators();

}  // namespace cane::lm
