#include "lm/sampled/draws.h"

#include <numeric>
#include <vector>

#include "core/noise/alias_table.h"
#include "core/noise/unigram_noise.h"

namespace cane::lm {
namespace {

using torch::Tensor;

constexpr std::int64_t kGolden = -0x61C8864680B583EB;  // 2^64 / the golden ratio

Tensor shifted_down(const Tensor& bits, std::int64_t places) {
  // Shifts of signed numbers bring ones in from above.
  return torch::bitwise_right_shift(bits, places)
      .bitwise_and_((std::int64_t{1} << (64 - places)) - 1);
}

/// SplitMix64 (Steele et al. 2014): all bits depend on all bits. Products wrap around.
Tensor mixed(Tensor bits) {
  bits.bitwise_xor_(shifted_down(bits, 30)).mul_(-0x40A7B892E31B1A47);
  bits.bitwise_xor_(shifted_down(bits, 27)).mul_(-0x6B2FB644ECCEEE15);
  return bits.bitwise_xor_(shifted_down(bits, 31));
}

}  // namespace

Tensor uniform_draws(std::uint64_t seed, std::int64_t stream, const Tensor& step,
                     at::IntArrayRef shape) {
  // Streams begin at places of the sequence that have nothing to do with one another.
  const Tensor start =
      mixed(mixed(step * kGolden).add_(static_cast<std::int64_t>(seed)).mul_(kGolden).add_(stream));
  const Tensor places = torch::arange(c10::multiply_integers(shape), step.options());
  return shifted_down(mixed(places.mul_(kGolden).add_(start)), 11)
      .to(torch::kFloat64)
      .mul_(0x1.0p-53)
      .view(shape);
}

AliasTensors::AliasTensors(std::span<const double> masses, std::span<const std::int64_t> offsets,
                           torch::Device device) {
  std::vector<double> own;
  std::vector<std::int64_t> lenders;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const auto end = static_cast<std::size_t>(offsets[i + 1]);
    if (begin == end) continue;
    const std::span<const double> part = masses.subspan(begin, end - begin);
    const AliasTable table(part, std::accumulate(part.begin(), part.end(), 0.0));
    for (const AliasCell& cell : table.cells()) {
      own.push_back(cell.own);
      lenders.push_back(offsets[i] + static_cast<std::int64_t>(cell.lender));
    }
  }
  own_ = torch::tensor(own, torch::kFloat64).to(device);
  lender_ = torch::tensor(lenders, torch::kInt64).to(device);
}

Tensor AliasTensors::draw(const Tensor& begin, const Tensor& count, const Tensor& where,
                          const Tensor& level) const {
  const Tensor place = (where * count).to(torch::kInt64).add_(begin);
  const Tensor flat = place.reshape({-1});
  return torch::where(level < own_.index_select(0, flat).view_as(place), place,
                      lender_.index_select(0, flat).view_as(place));
}

NoiseLaw::NoiseLaw(std::span<const std::uint64_t> counts, float power,
                   const std::vector<bool>& excluded, torch::Device device) {
  std::vector<double> outcome_masses;
  std::vector<std::int64_t> words;
  const std::vector<double> all_masses = power_masses(counts, power);
  for (std::size_t word = 0; word < counts.size(); ++word) {
    if (excluded[word]) continue;
    outcome_masses.push_back(all_masses[word]);
    words.push_back(static_cast<std::int64_t>(word));
  }
  const double total = std::accumulate(outcome_masses.begin(), outcome_masses.end(), 0.0);
  std::vector<float> masses(counts.size(), 0.0F);
  for (std::size_t i = 0; i < words.size(); ++i) {
    masses[static_cast<std::size_t>(words[i])] = static_cast<float>(outcome_masses[i] / total);
  }
  const std::vector<std::int64_t> one = {0, static_cast<std::int64_t>(words.size())};
  cells_ = AliasTensors(outcome_masses, one, device);
  words_ = torch::tensor(words, torch::kInt64).to(device);
  masses_ = torch::tensor(masses, torch::kFloat32).to(device);
}

Tensor NoiseLaw::draw(const Tensor& where, const Tensor& level) const {
  const auto all = where.options().dtype(torch::kInt64);
  if (words_.numel() == 0) return torch::full(where.sizes(), kNoWord, all);
  const Tensor places =
      cells_.draw(torch::zeros({}, all), torch::full({}, words_.numel(), all), where, level);
  return words_.index_select(0, places.reshape({-1})).view_as(places);
}

}  // namespace cane::lm
