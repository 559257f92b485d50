#include "methods/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/random.h"

namespace cane {
namespace {

constexpr float kPaperRates[] = {0.0001F, 0.001F, 0.01F, 0.05F, 0.1F, 0.5F, 1.0F};
constexpr float kPaperPowers[] = {0.0F, 0.1F, 0.3F, 0.5F, 0.75F, 1.0F};
constexpr Optimizer kOptimizers[] = {Optimizer::kSgd, Optimizer::kAdagrad};
constexpr std::uint32_t kCandidates[] = {5, 9, 20, 40, 80};
constexpr std::uint32_t kArities[] = {16, 32, 64};

// Rates from a sixteenth of the automatic one to sixteen times as much.
constexpr double kOctaves = 4.0;
// Where a rate is drawn, no two configurations are alike; more than this no search gets through.
constexpr std::size_t kMost = 4096;

bool has_arity(const TrainConfig& chosen) {
  const bool has_tree = chosen.method == Method::kHsm || chosen.scorer == Scorer::kPath ||
                        chosen.select == Select::kBeam || chosen.select == Select::kTree;
  return has_tree &&
         (chosen.tree == "clustered" || chosen.tree == "balanced" || chosen.tree == "random");
}

// Every configuration once with each of the values.
template <typename T, typename Values>
void cross(std::vector<TrainConfig>& configs, T TrainConfig::*member, const Values& values) {
  std::vector<TrainConfig> crossed;
  for (const TrainConfig& config : configs) {
    for (const T& value : values) {
      crossed.push_back(config);
      crossed.back().*member = value;
    }
  }
  configs = std::move(crossed);
}

// Three digits are enough, and can be typed.
float short_rate(double rate) {
  return std::strtof(fmt::format("{:.3g}", rate).c_str(), nullptr);
}

}  // namespace

TrainConfig with_noise_to_search(const TrainConfig& asked, const Tunable& allowed) {
  TrainConfig config = asked;
  const bool has_power = asked.method == Method::kNce || asked.method == Method::kNeg ||
                         asked.method == Method::kBlackout;
  if (allowed.noise_power && has_power && asked.noise == Noise::kAuto) {
    config.noise = Noise::kUnigram;
  }
  return config;
}

Tunable searched_options(const Tunable& allowed, const TrainConfig& chosen, std::uint32_t classes) {
  Tunable searched = allowed;
  searched.candidates = allowed.candidates && chosen.method == Method::kCane &&
                        chosen.select != Select::kAll && classes > kCandidates[0];
  searched.arity = allowed.arity && has_arity(chosen) && classes > kArities[0];
  searched.noise_power = allowed.noise_power && chosen.noise == Noise::kUnigram;
  return searched;
}

std::vector<TrainConfig> paper_grid(const TrainConfig& base, const Tunable& searched) {
  std::vector<TrainConfig> grid = {base};
  if (searched.noise_power) cross(grid, &TrainConfig::noise_power, kPaperPowers);
  if (searched.lr) cross(grid, &TrainConfig::lr, kPaperRates);
  return grid;
}

SearchSpace::SearchSpace(const TrainConfig& base, const TrainConfig& chosen,
                         const Tunable& searched, std::uint32_t classes,
                         AutomaticRate automatic_rate)
    : base_(base),
      searched_(searched),
      automatic_rate_(std::move(automatic_rate)),
      combinations_{chosen} {
  if (searched.optimizer) cross(combinations_, &TrainConfig::optimizer, kOptimizers);
  if (searched.candidates) {
    std::vector<std::uint32_t> fewer_than_classes;
    for (const std::uint32_t candidates : kCandidates) {
      if (candidates < classes) fewer_than_classes.push_back(candidates);
    }
    cross(combinations_, &TrainConfig::candidates, fewer_than_classes);
  }
  if (searched.arity) {
    // From the first flat tree on, all are alike.
    const auto flat = std::lower_bound(std::begin(kArities), std::end(kArities), classes);
    const auto end = flat == std::end(kArities) ? flat : flat + 1;
    cross(combinations_, &TrainConfig::arity, std::vector(std::begin(kArities), end));
  }
  if (searched.noise_power) cross(combinations_, &TrainConfig::noise_power, kPaperPowers);
  if (!searched.lr) {
    std::erase_if(combinations_, [&](const TrainConfig& other) {
      return other.optimizer == chosen.optimizer && other.candidates == chosen.candidates &&
             other.arity == chosen.arity && other.noise_power == chosen.noise_power;
    });
  }
  shuffle_combinations();
}

void SearchSpace::shuffle_combinations() {
  const CounterRandom random(base_.seed, RandomPurpose::kSearch);
  for (std::size_t i = combinations_.size(); i > 1; --i) {
    std::swap(combinations_[i - 1], combinations_[random.below(i, i, 0)]);
  }
}

std::size_t SearchSpace::size() const {
  return searched_.lr ? kMost : 1 + combinations_.size();
}

TrainConfig SearchSpace::operator[](std::size_t number) const {
  if (number == 0) return base_;
  const TrainConfig& combination = combinations_[(number - 1) % combinations_.size()];
  TrainConfig config = base_;
  if (searched_.optimizer) config.optimizer = combination.optimizer;
  if (searched_.candidates) config.candidates = combination.candidates;
  if (searched_.arity) config.arity = combination.arity;
  if (searched_.noise_power) config.noise_power = combination.noise_power;
  if (searched_.lr) {
    // Multiples of the golden ratio, from a random place on, fill the range evenly however many
    // there are.
    constexpr double kGolden = 0.6180339887498949;
    const double begin = CounterRandom(base_.seed, RandomPurpose::kSearch).uniform(0, 1);
    const double place = begin + kGolden * static_cast<double>(number);
    const double octaves = kOctaves * (2.0 * (place - std::floor(place)) - 1.0);
    config.lr = short_rate(static_cast<double>(automatic_rate_(combination.optimizer)) *
                           std::exp2(octaves));
  }
  return config;
}

}  // namespace cane
