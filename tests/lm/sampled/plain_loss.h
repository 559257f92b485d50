// What a sampled layer must compute, written out in float64 from the shortlists, for autograd to
// differentiate.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <vector>

#include "lm/sampled/sampled_loss.h"

namespace cane::lm {

struct PlainToken {
  std::vector<std::int64_t> candidates;
  std::vector<std::int64_t> noises;
  std::vector<double> log_q;
  bool is_left_out = false;
};

inline PlainToken plain_token(const Shortlists& lists, std::int64_t token) {
  const ListedColumns& listed = lists.listed;
  const std::int64_t own = lists.own.size(1);
  const auto word_at = [&](std::int64_t column) {
    return (column < own ? lists.own[token][column] : lists.shared[column - own])
        .item<std::int64_t>();
  };
  PlainToken plain;
  plain.is_left_out = lists.left_out[token].item<bool>();
  for (std::int64_t i = 0; i < listed.candidates; ++i) {
    const std::int64_t column = listed.first_candidate + i;
    const std::int64_t of_batch = column - own - lists.fixed;
    if (lists.seen.defined() && of_batch >= 0 && !lists.seen[token][of_batch].item<bool>()) {
      continue;
    }
    if (word_at(column) != kNoWord) plain.candidates.push_back(word_at(column));
  }
  for (std::int64_t j = 0; j < listed.noises; ++j) {
    const double log_q = listed.log_q[token][j].item<double>();
    if (std::isinf(log_q)) continue;
    plain.noises.push_back(word_at(listed.first_noise + j));
    plain.log_q.push_back(log_q);
  }
  return plain;
}

inline bool is_outside(const Shortlists& lists, std::int64_t token) {
  return lists.listed.label_at[token].item<std::int64_t>() == lists.listed.label_column;
}

inline torch::Tensor pick(const torch::Tensor& scores, const std::vector<std::int64_t>& words) {
  return scores.index_select(0, torch::tensor(words, torch::kInt64));
}

/// The loss of a token from the scores of all words, float64.
inline torch::Tensor plain_token_loss(const Shortlists& lists, std::int64_t token,
                                      std::int64_t label, const torch::Tensor& scores, Method kind,
                                      bool pooled = false) {
  const PlainToken plain = plain_token(lists, token);
  if (plain.is_left_out) return torch::zeros({}, torch::kFloat64);
  const torch::Tensor label_score = scores[label];
  const double label_log_q = lists.listed.label_log_q[token].item<double>();
  const auto count = static_cast<double>(plain.noises.size());
  const auto log_q = torch::tensor(plain.log_q, torch::kFloat64);
  const auto noise_scores = pick(scores, plain.noises);
  switch (kind) {
    case Method::kNce:
      return -torch::log_sigmoid(label_score - label_log_q - std::log(count)) -
             torch::log_sigmoid(-(noise_scores - log_q - std::log(count))).sum();
    case Method::kNeg:
      return -torch::log_sigmoid(label_score) - torch::log_sigmoid(-noise_scores).sum();
    case Method::kBlackout: {
      const auto logits =
          torch::cat({(label_score - label_log_q).unsqueeze(0), noise_scores - log_q});
      const auto p = logits.softmax(0);
      return -p[0].log() - (1.0 - p.slice(0, 1)).log().sum();
    }
    case Method::kOve: {
      const double scale = static_cast<double>(scores.size(0) - 1) / count;
      return -torch::log_sigmoid(label_score - noise_scores).sum() * scale;
    }
    case Method::kCss: {
      const double scale = std::log(static_cast<double>(scores.size(0) - 1) / count);
      return torch::cat({label_score.unsqueeze(0), noise_scores + scale}).logsumexp(0) -
             label_score;
    }
    default:
      break;
  }
  const auto candidates = pick(scores, plain.candidates);
  if (is_outside(lists, token)) {
    return torch::cat({candidates, (label_score - label_log_q).unsqueeze(0)}).logsumexp(0) -
           label_score;
  }
  if (plain.noises.empty()) return candidates.logsumexp(0) - label_score;
  if (pooled) {
    return torch::cat({candidates, noise_scores - log_q - std::log(count)}).logsumexp(0) -
           label_score;
  }
  auto loss = torch::zeros({}, torch::kFloat64);
  for (std::int64_t j = 0; j < noise_scores.size(0); ++j) {
    loss = loss + torch::cat({candidates, (noise_scores[j] - log_q[j]).unsqueeze(0)}).logsumexp(0);
  }
  return loss / count - label_score;
}

/// Gradients of a table as one dense tensor.
inline torch::Tensor dense_gradient(const RowGradientSink& sink, const torch::Tensor& table) {
  torch::Tensor sum = torch::zeros({table.size(0), table.numel() / table.size(0)});
  for (const RowGradient& gradient : sink) {
    if (!gradient.table.is_same(table)) continue;
    for (std::int64_t i = 0; i < gradient.rows.size(0); ++i) {
      const auto row = gradient.rows[i].item<std::int64_t>();
      if (row >= 0) sum[row] += gradient.values[i].cpu();
    }
  }
  return sum.view(table.sizes());
}

}  // namespace cane::lm
