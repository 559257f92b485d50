#include "lm/sampled/successor_law.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <numeric>

namespace cane::lm {
namespace {

using torch::Tensor;

struct Successor {
  std::int32_t word;
  std::uint32_t count;
};

// Moves the best `wanted` to the front and returns their number; the lower word wins a tie.
std::size_t best_first(std::vector<Successor>& successors, std::size_t wanted) {
  const std::size_t count = std::min(wanted, successors.size());
  std::partial_sort(successors.begin(), successors.begin() + static_cast<std::ptrdiff_t>(count),
                    successors.end(), [](const Successor& a, const Successor& b) {
                      return a.count != b.count ? a.count > b.count : a.word < b.word;
                    });
  return count;
}

}  // namespace

SuccessorLaw::SuccessorLaw(const BigramCounts& bigrams, std::span<const std::int32_t> order,
                           const std::vector<bool>& excluded, std::int64_t candidates,
                           torch::Device device) {
  const std::size_t words = order.size();
  const auto wanted = static_cast<std::size_t>(candidates);
  std::vector<std::int64_t> best(words * wanted, kNoWord);
  // Words to fill up with; twice as many as wanted, since some may already be successors.
  std::vector<std::int32_t> frequent;
  for (std::size_t i = 0; i < words && frequent.size() < 2 * wanted; ++i) {
    if (!excluded[static_cast<std::size_t>(order[i])]) frequent.push_back(order[i]);
  }
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> rest_words;
  std::vector<std::int64_t> pairs;
  std::vector<double> masses;
  std::vector<float> shares;
  std::vector<float> weights;
  std::vector<Successor> successors;
  for (std::size_t context = 0; context < words; ++context) {
    successors.clear();
    for (std::int64_t i = bigrams.offsets[context]; i < bigrams.offsets[context + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (excluded[bigrams.words[at]]) continue;
      successors.push_back({static_cast<std::int32_t>(bigrams.words[at]), bigrams.counts[at]});
    }
    std::int64_t* own = best.data() + context * wanted;
    std::size_t filled = best_first(successors, wanted);
    for (std::size_t i = 0; i < filled; ++i) own[i] = successors[i].word;

    std::sort(successors.begin() + static_cast<std::ptrdiff_t>(filled), successors.end(),
              [](const Successor& a, const Successor& b) { return a.word < b.word; });
    double total = 0.0;
    for (std::size_t i = filled; i < successors.size(); ++i) total += successors[i].count;
    for (std::size_t i = filled; i < successors.size(); ++i) {
      rest_words.push_back(successors[i].word);
      pairs.push_back(static_cast<std::int64_t>(context * words) + successors[i].word);
      masses.push_back(successors[i].count);
      shares.push_back(static_cast<float>(successors[i].count / total));
    }
    offsets.push_back(static_cast<std::int64_t>(rest_words.size()));
    weights.push_back(total == 0.0 ? 0.0F
                                   : static_cast<float>(total / (total + bigrams.kinds[context])));

    const std::size_t found = filled;
    for (std::size_t i = 0; filled < wanted && i < frequent.size(); ++i) {
      if (std::find(own, own + found, frequent[i]) == own + found) own[filled++] = frequent[i];
    }
  }
  best_ = torch::tensor(best, torch::kInt64)
              .view({static_cast<std::int64_t>(words), candidates})
              .to(device);
  offsets_ = torch::tensor(offsets, torch::kInt64).to(device);
  words_ = torch::tensor(rest_words, torch::kInt64).to(device);
  pairs_ = torch::tensor(pairs, torch::kInt64).to(device);
  shares_ = torch::tensor(shares, torch::kFloat32).to(device);
  weights_ = torch::tensor(weights, torch::kFloat32).to(device);
  cells_ = AliasTensors(masses, offsets, device);
}

Tensor SuccessorLaw::masses(const Tensor& contexts, const Tensor& words,
                            const Tensor& of_all) const {
  const Tensor weight = weights_.index_select(0, contexts).unsqueeze(1);
  Tensor mixed_masses = (1.0 - weight) * of_all;
  if (pairs_.numel() == 0) return mixed_masses;
  const Tensor pairs = contexts.unsqueeze(1) * weights_.numel() + words;
  const Tensor places = torch::searchsorted(pairs_, pairs).clamp_max_(pairs_.numel() - 1);
  const Tensor flat = places.reshape({-1});
  const Tensor share = shares_.index_select(0, flat).view_as(pairs);
  const Tensor is_known = pairs_.index_select(0, flat).view_as(pairs) == pairs;
  return mixed_masses.add_(weight * share.masked_fill(is_known.logical_not(), 0.0));
}

Tensor SuccessorLaw::draw(const Tensor& contexts, const Tensor& coin, const Tensor& where,
                          const Tensor& level, const Tensor& of_all) const {
  if (words_.numel() == 0) return of_all;
  const Tensor begin = offsets_.index_select(0, contexts).unsqueeze(1);
  const Tensor end = offsets_.index_select(0, contexts + 1).unsqueeze(1);
  // Where there are none the weight is zero, and any place will do.
  const Tensor places =
      cells_.draw(begin.clamp_max(words_.numel() - 1), (end - begin).clamp_min(1), where, level);
  const Tensor successors = words_.index_select(0, places.reshape({-1})).view_as(places);
  return torch::where(coin < weights_.index_select(0, contexts).unsqueeze(1), successors, of_all);
}

BigramCounts count_bigrams(std::span<const std::uint32_t> tokens, std::uint32_t words,
                           std::uint32_t least) {
  // All successors, context by context.
  std::vector<std::size_t> begins(std::size_t{words} + 1, 0);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    assert(tokens[i] < words && tokens[i + 1] < words);
    ++begins[tokens[i] + std::size_t{1}];
  }
  for (std::size_t c = 0; c < words; ++c) begins[c + 1] += begins[c];
  std::vector<std::uint32_t> successors(begins.back());
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) successors[next[tokens[i]]++] = tokens[i + 1];

  BigramCounts bigrams;
  bigrams.offsets.reserve(std::size_t{words} + 1);
  bigrams.offsets.push_back(0);
  bigrams.kinds.assign(words, 0);
  for (std::size_t c = 0; c < words; ++c) {
    const auto end = successors.begin() + static_cast<std::ptrdiff_t>(begins[c + 1]);
    auto run = successors.begin() + static_cast<std::ptrdiff_t>(begins[c]);
    std::sort(run, end);
    while (run != end) {
      const auto run_end = std::upper_bound(run, end, *run);
      const auto count = static_cast<std::uint32_t>(run_end - run);
      ++bigrams.kinds[c];
      if (count >= least) {
        bigrams.words.push_back(*run);
        bigrams.counts.push_back(count);
      }
      run = run_end;
    }
    bigrams.offsets.push_back(static_cast<std::int64_t>(bigrams.words.size()));
  }
  return bigrams;
}

}  // namespace cane::lm
