#include "lm/engine/perplexity.h"

#include <algorithm>
#include <cmath>

#include "core/base/stopwatch.h"
#include "lm/engine/token_streams.h"

namespace cane::lm {
namespace {

constexpr std::size_t kStreams = 32;
constexpr std::int64_t kLength = 35;
/// Number of scores in memory at a time.
constexpr std::int64_t kScores = std::int64_t{1} << 24;

struct Sums {
  torch::Tensor exact;
  torch::Tensor score;
  torch::Tensor count;
};

void add_tokens(LanguageModel& model, const torch::Tensor& hidden, const torch::Tensor& labels,
                Sums& sums) {
  const torch::Tensor scores = model.head().scores(hidden);
  const torch::Tensor there = labels >= 0;
  const torch::Tensor score =
      scores.gather(1, labels.clamp_min(0).unsqueeze(1)).squeeze(1).to(torch::kFloat64);
  const torch::Tensor normalizer = scores.logsumexp(1).to(torch::kFloat64);
  sums.exact += ((score - normalizer) * there).sum();
  sums.score += (score * there).sum();
  sums.count += there.sum();
}

}  // namespace

Perplexity measure_perplexity(LanguageModel& model, std::span<const WordId> text) {
  const Stopwatch watch;
  const torch::NoGradGuard no_gradient;
  const bool was_training = model.is_training();
  model.eval();
  const TokenStreams streams(text, model.vocabulary().end_of_line(),
                             StreamLayout::every_word(text.size(), kStreams), kLength,
                             model.device());
  BodyState state = model.body().initial_state(streams.streams(), model.device());
  const auto zero = [&] {
    return torch::zeros({}, torch::dtype(torch::kFloat64).device(model.device()));
  };
  Sums sums = {zero(), zero(), zero()};
  const std::int64_t at_once = std::max<std::int64_t>(kScores / model.vocabulary().size(), 1);
  for (std::int64_t index = 0; index < streams.batches(); ++index) {
    const TokenBatch batch = streams.batch(index);
    const torch::Tensor hidden = model.body().forward(batch.inputs, state).flatten(0, 1);
    const torch::Tensor labels = batch.labels.reshape({-1});
    for (std::int64_t row = 0; row < labels.size(0); row += at_once) {
      add_tokens(model, hidden.slice(0, row, row + at_once), labels.slice(0, row, row + at_once),
                 sums);
    }
  }
  model.train(was_training);

  Perplexity result;
  const auto count = sums.count.item<double>();
  result.tokens = static_cast<std::uint64_t>(count);
  const double exact = sums.exact.item<double>() / std::max(count, 1.0);
  const double score = sums.score.item<double>() / std::max(count, 1.0);
  result.exact = std::exp(-exact);
  result.self_normalized = std::exp(-score);
  result.log_normalizer = score - exact;
  result.seconds = watch.seconds();
  return result;
}

}  // namespace cane::lm
