#include "lm/sampled/objectives.h"

#include <stdexcept>

namespace cane::lm {
namespace {

using torch::Tensor;

/// log(1 + e^x) of all values of a row, summed, and the values replaced by its derivative.
Tensor softplus_sums(Tensor values) {
  const Tensor sums = values.clamp_min(0).add_(values.abs().neg_().exp_().log1p_()).sum(1);
  values.sigmoid_();
  return sums;
}

/// Mean over the noises of log(sum over the candidates of e^s + e^{s_j} / q_j) - s_y; a label that
/// is no candidate is the only noise (core/objective/candidates_vs_noises.h).
Tensor candidates_vs_noises(const ListedColumns& listed, const Tensor& scores) {
  Tensor candidates = scores.narrow(1, listed.first_candidate, listed.candidates);
  Tensor label = scores.narrow(1, listed.label_column, 1);
  Tensor noises = scores.narrow(1, listed.first_noise, listed.noises);
  const Tensor label_at = listed.label_at.unsqueeze(1);
  const Tensor label_scores = scores.gather(1, label_at).squeeze(1);
  const Tensor high = candidates.amax(1, true);
  candidates.sub_(high).exp_();
  const Tensor sum = candidates.sum(1, true);
  const Tensor log_candidates = sum.log().add_(high);
  label.sub_(listed.label_log_q.unsqueeze(1)).sub_(log_candidates);
  noises.sub_(listed.log_q).sub_(log_candidates);
  const Tensor is_outside = label_at == listed.label_column;
  const Tensor per_noise =
      listed.drawn.clamp_min(1).reciprocal().unsqueeze(1).masked_fill(is_outside, 0.0);
  Tensor losses = log_candidates.squeeze(1) - label_scores + softplus_sums(label) +
                  softplus_sums(noises) * per_noise.squeeze(1);
  noises.mul_(per_noise);
  const Tensor share = 1.0 - noises.sum(1, true) - label;
  candidates.mul_(share.div_(sum));
  scores.scatter_add_(1, label_at, torch::full_like(share, -1.0));
  return losses;
}

/// log of the sum of e^z over a row, less z of the label.
Tensor label_softmax(Tensor logits, std::int64_t label) {
  const Tensor label_logits = logits.select(1, label).clone();
  const Tensor log_sum = logits.logsumexp(1, true);
  logits.sub_(log_sum).exp_();
  logits.select(1, label).sub_(1.0);
  return log_sum.squeeze(1) - label_logits;
}

/// The label told from the noises by their logits.
Tensor logistic_contrast(Tensor logits, std::int64_t label) {
  const Tensor label_logits = logits.select(1, label).clone();
  const Tensor sums = softplus_sums(logits);
  logits.select(1, label).sub_(1.0);
  return sums - label_logits;
}

/// 1 - p loses all digits at the largest p alone, where it is the share of the rest
/// (core/objective/blackout.h).
Tensor blackout(Tensor logits, std::int64_t label) {
  const Tensor label_logits = logits.narrow(1, label, 1).clone();
  const auto [top_logit, top] = logits.max(1, true);
  const Tensor top_is_noise = (top != label).to(logits.scalar_type());
  logits.scatter_(1, top, kAbsentScore);
  const Tensor log_rest = logits.logsumexp(1, true);
  const Tensor log_all = torch::logaddexp(log_rest, top_logit);
  const Tensor p_top = (top_logit - log_all).exp();
  logits.sub_(log_rest).exp_();  // shares of the rest
  const Tensor p = logits * (log_rest - log_all).exp();
  const Tensor outside = 1.0 - p;
  const Tensor odds = p / outside;
  odds.select(1, label).zero_();
  Tensor logs = p.neg().log1p_();
  logs.select(1, label).zero_();
  const Tensor less = 1.0 - odds.sum(1, true);
  logits.mul_(-top_is_noise * p_top).addcmul_(p, less).add_(odds);
  logits.scatter_(1, top, p_top * (less + top_is_noise));
  logits.select(1, label).sub_(1.0);
  return (log_all - label_logits - top_is_noise * (log_rest - log_all)).squeeze(1) - logs.sum(1);
}

/// The label against each noise, scaled up to all rivals.
Tensor one_vs_each(const ListedColumns& listed, const Tensor& scores) {
  Tensor label = scores.narrow(1, listed.label_column, 1);
  Tensor noises = scores.narrow(1, listed.first_noise, listed.noises);
  const Tensor scale = listed.drawn.reciprocal() * static_cast<double>(listed.classes - 1);
  const Tensor losses = softplus_sums(noises.sub_(label)) * scale;
  noises.mul_(scale.unsqueeze(1));
  label.copy_(noises.sum(1, true).neg_());
  return losses;
}

}  // namespace

Tensor losses_to_gradients(Method method, const ListedColumns& listed, Tensor scores) {
  if (method == Method::kCane) return candidates_vs_noises(listed, scores);
  if (method == Method::kOve) return one_vs_each(listed, scores);
  Tensor label = scores.narrow(1, listed.label_column, 1);
  Tensor noises = scores.narrow(1, listed.first_noise, listed.noises);
  switch (method) {
    case Method::kNce: {
      const Tensor log_drawn = listed.drawn.log().unsqueeze(1);
      label.sub_(listed.label_log_q.unsqueeze(1)).sub_(log_drawn);
      noises.sub_(listed.log_q).sub_(log_drawn);
      return logistic_contrast(scores, listed.label_column);
    }
    case Method::kNeg:
      return logistic_contrast(scores, listed.label_column);
    case Method::kBlackout:
      label.sub_(listed.label_log_q.unsqueeze(1));
      noises.sub_(listed.log_q);
      return blackout(scores, listed.label_column);
    case Method::kCss:
      noises.add_((listed.drawn.reciprocal() * static_cast<double>(listed.classes - 1))
                      .log_()
                      .unsqueeze(1));
      return label_softmax(scores, listed.label_column);
    default:
      throw std::logic_error("a method without noises has no sampled objective");
  }
}

}  // namespace cane::lm
