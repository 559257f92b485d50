#include "lm/sampled/sampled_layer.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cane::lm {
namespace {

// The low-rank search scores all words for this many tokens at a time, to bound its memory.
constexpr std::int64_t kTokensPerSearch = 256;

const SampledOptions& checked(const SampledOptions& options, std::int64_t words) {
  check(options, words);
  return options;
}

// Initial rows, the same on every device.
torch::Tensor start_rows(std::int64_t rows, std::int64_t width, std::uint64_t seed,
                         torch::Device device) {
  auto generator = at::detail::createCPUGenerator(seed);
  const double range = 1.0 / std::sqrt(static_cast<double>(width));
  return torch::empty({rows, width}).uniform_(-range, range, generator).to(device);
}

}  // namespace

SampledLayer::SampledLayer(const SampledOptions& options,
                           const std::vector<std::uint64_t>& word_counts, std::int64_t width,
                           std::uint64_t seed, torch::Device device, const BigramCounts* bigrams)
    : options_(checked(options, static_cast<std::int64_t>(word_counts.size()))),
      maker_(options, word_counts, bigrams, seed, device) {
  const auto words = static_cast<std::int64_t>(word_counts.size());
  const auto on_device = torch::TensorOptions().device(device);
  tables_.weight = register_buffer("class_rows", start_rows(words, width, seed, device));
  torch::Tensor bias = start_bias(word_counts).to(device);
  // Its scores are log p - log(noises * q): with another start, rarely drawn words would stay far
  // too probable.
  if (row_of(options.method).learns_ratio_to_noise) {
    bias = bias - maker_.law_masses().mul(static_cast<double>(options.noises)).log();
  }
  tables_.bias = register_buffer("class_bias", bias);
  if (has_own(OwnCandidates::kSubset)) {
    const std::int64_t subsets = std::min(options.subsets, words);
    // Not zero, or all contexts would choose the same subset.
    subsets_.weight =
        register_parameter("subset_weight", start_rows(subsets, width, seed + 3, device));
    subsets_.bias = register_parameter("subset_bias", torch::zeros({subsets}, on_device));
    subsets_.subset_of_class = maker_.subset_of_class();
  }
  if (has_own(OwnCandidates::kLowRank)) {
    // In files the tables have the names that 0.1 gave them.
    projection_ =
        register_parameter("narrow_projection", start_rows(options.rank, width, seed + 1, device));
    low_rank_.weight = register_buffer("narrow_weight",
                                       start_rows(words, options.rank, seed + 2, device).mul_(0.1));
    low_rank_.bias = register_buffer("narrow_bias", start_bias(word_counts).to(device));
  }
}

bool SampledLayer::has_own(OwnCandidates own) const {
  return row_of(options_.method).has_candidates && options_.selection.own == own;
}

torch::Tensor SampledLayer::best_of_low_rank(const torch::Tensor& hidden) const {
  const torch::Tensor projected = hidden.mm(projection_.t());
  const std::int64_t words = low_rank_.weight.size(0);
  const std::int64_t fixed = maker_.fixed_classes().numel();
  const std::int64_t wanted = std::min(options_.candidates, words - fixed);
  torch::Tensor best = torch::full({hidden.size(0), options_.candidates}, kNoWord,
                                   hidden.options().dtype(torch::kInt64));
  for (std::int64_t begin = 0; wanted > 0 && begin < hidden.size(0); begin += kTokensPerSearch) {
    const std::int64_t count = std::min(kTokensPerSearch, hidden.size(0) - begin);
    torch::Tensor all =
        torch::addmm(low_rank_.bias, projected.narrow(0, begin, count), low_rank_.weight.t());
    all.index_fill_(1, maker_.fixed_classes(), -std::numeric_limits<float>::infinity());
    best.narrow(0, begin, count)
        .narrow(1, 0, wanted)
        .copy_(std::get<1>(all.topk(wanted, 1, /*largest=*/true, /*sorted=*/false)));
  }
  return best;
}

torch::Tensor SampledLayer::own_candidates(const torch::Tensor& hidden) const {
  if (has_own(OwnCandidates::kSubset)) {
    return torch::addmm(subsets_.bias, hidden, subsets_.weight.t()).argmax(1);
  }
  if (has_own(OwnCandidates::kLowRank)) return best_of_low_rank(hidden);
  return {};
}

// A loss whose value is zero: its gradient trains the low-rank scorer, and its value is not
// counted.
torch::Tensor SampledLayer::low_rank_loss(const torch::Tensor& hidden,
                                          const Shortlists& lists) const {
  const torch::Tensor loss = sampled_loss(hidden.detach().mm(projection_.t()), low_rank_, {}, lists,
                                          options_.method, sink_);
  return loss - loss.detach();
}

torch::Tensor SampledLayer::loss(const torch::Tensor& hidden, const TokenBatch& batch,
                                 const torch::Tensor& step) {
  const torch::Tensor rows = hidden.reshape({-1, hidden.size(-1)}).to(torch::kFloat32);
  Shortlists lists;
  {
    const torch::NoGradGuard no_gradient;
    const FlatBatch flat{batch.inputs.reshape({-1}).contiguous(),
                         batch.labels.reshape({-1}).contiguous(), batch.labels.size(-1)};
    lists = maker_.make(flat, own_candidates(rows), step);
  }
  torch::Tensor loss = sampled_loss(rows, tables_, subsets_, lists, options_.method, sink_);
  if (has_own(OwnCandidates::kLowRank)) loss = loss + low_rank_loss(rows, lists);
  return loss;
}

std::vector<RowGradient> SampledLayer::take_row_gradients() {
  return std::exchange(*sink_, {});
}

torch::Tensor SampledLayer::scores(const torch::Tensor& hidden) {
  torch::Tensor all = torch::addmm(tables_.bias, hidden.to(torch::kFloat32), tables_.weight.t());
  if (subsets_.weight.defined()) {
    all = all + torch::addmm(subsets_.bias, hidden.to(torch::kFloat32), subsets_.weight.t())
                    .index_select(1, subsets_.subset_of_class);
  }
  // Without the shift they are log p - log q plus a constant.
  if (row_of(options_.method).learns_ratio_to_noise) all = all + maker_.law_masses().log();
  return all;
}

double SampledLayer::take_coverage() {
  return row_of(options_.method).has_candidates ? maker_.take_coverage() : -1.0;
}

}  // namespace cane::lm
