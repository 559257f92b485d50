#include "lm/engine/generate.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace cane::lm {
namespace {

WordId draw(torch::Tensor scores, const GenerateOptions& options) {
  if (options.temperature <= 0.0) return static_cast<WordId>(scores.argmax().item<std::int64_t>());
  const std::int64_t words = scores.size(0);
  const std::int64_t kept =
      options.top_k == 0 ? words : std::min<std::int64_t>(options.top_k, words);
  const auto [best, ids] = scores.topk(kept);
  const torch::Tensor law = torch::softmax(best / options.temperature, 0);
  return static_cast<WordId>(
      ids[torch::multinomial(law, 1).item<std::int64_t>()].item<std::int64_t>());
}

}  // namespace

void generate(LanguageModel& model, std::span<const WordId> start, const GenerateOptions& options,
              const std::function<bool(WordId)>& on_word) {
  const torch::NoGradGuard no_gradient;
  model.eval();
  torch::manual_seed(options.seed);
  BodyState state = model.body().initial_state(1, model.device());
  const auto next_scores = [&](WordId word) {
    const auto input = torch::full({1, 1}, static_cast<std::int64_t>(word),
                                   torch::dtype(torch::kInt64).device(model.device()));
    const torch::Tensor hidden = model.body().forward(input, state).flatten(0, 1);
    return model.head().scores(hidden).squeeze(0).to(torch::kCPU);
  };
  torch::Tensor scores = next_scores(model.vocabulary().end_of_line());
  for (const WordId word : start) scores = next_scores(word);
  for (std::uint64_t written = 0; written < options.words; ++written) {
    if (!options.unknown) {
      scores[model.vocabulary().unknown()] = -std::numeric_limits<float>::infinity();
    }
    const WordId word = draw(scores, options);
    if (!on_word(word)) return;
    scores = next_scores(word);
  }
}

}  // namespace cane::lm
