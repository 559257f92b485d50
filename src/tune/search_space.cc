#include "tune/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "methods/config_facts.h"

namespace cane {
namespace {

constexpr float kPaperRates[] = {0.0001F, 0.001F, 0.01F, 0.05F, 0.1F, 0.5F, 1.0F};
constexpr float kPaperPowers[] = {0.0F, 0.1F, 0.3F, 0.5F, 0.75F, 1.0F};
constexpr std::uint32_t kCandidates[] = {5, 9, 20, 40, 80};
constexpr std::uint32_t kArities[] = {16, 32, 64};
constexpr float kDecays[] = {0.0F, 1e-6F, 1e-5F, 1e-4F};

// Nodes per class of a LOMTree, as in its paper.
constexpr std::uint32_t kNodesPerClass[] = {1, 4, 16, 64};
constexpr std::uint32_t kSwapResistances[] = {4, 16, 64, 256};

// Rates range from 1/16 to 16 times the automatic one.
constexpr double kOctaves = 4.0;
// With a sampled rate all configurations differ; no search gets through more than this many.
constexpr std::size_t kMax = 4096;

// The kinds with a free arity: the others are binary or come from a file.
bool has_arity(const std::string& tree) {
  return tree == "clustered" || tree == "kmeans" || tree == "balanced" || tree == "random";
}

std::vector<OptimizerKind> optimizers() {
  std::vector<OptimizerKind> kinds;
  for (const OptimizerRow& row : kOptimizers) {
    if (row.kind != OptimizerKind::kAuto) kinds.push_back(row.kind);
  }
  return kinds;
}

std::vector<std::uint32_t> arities_for(const TrainConfig& chosen, std::uint32_t classes) {
  if (!uses_tree(chosen) || !has_arity(chosen.tree) || classes <= kArities[0]) return {};
  // Beyond the first flat tree, all arities give the same tree.
  const auto flat = std::lower_bound(std::begin(kArities), std::end(kArities), classes);
  return {std::begin(kArities), flat == std::end(kArities) ? flat : flat + 1};
}

std::vector<std::uint32_t> candidates_for(const TrainConfig& chosen, std::uint32_t classes) {
  const bool has_candidates = chosen.candidates > 0 && !row_of(chosen.select).takes_all_classes;
  std::vector<std::uint32_t> values;
  for (const std::uint32_t candidates : kCandidates) {
    const bool fits_beam = chosen.beam == 0 || candidates <= chosen.beam;
    if (has_candidates && candidates < classes && fits_beam) values.push_back(candidates);
  }
  return values;
}

std::vector<std::uint32_t> nodes_for(std::uint32_t classes) {
  std::vector<std::uint32_t> values;
  for (const std::uint32_t nodes : kNodesPerClass) {
    const std::uint64_t count = std::uint64_t{nodes} * classes - 1;
    if (count > 0 && count <= kMaxNodes) values.push_back(static_cast<std::uint32_t>(count));
  }
  return values;
}

// Cross product of the configurations with the values.
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

// Three digits are precise enough and easy to type.
float short_rate(double rate) {
  return std::strtof(fmt::format("{:.3g}", rate).c_str(), nullptr);
}

}  // namespace

Tunable searched_options(const Tunable& allowed, const TrainConfig& chosen, std::uint32_t classes) {
  Tunable searched = allowed;
  searched.candidates = allowed.candidates && !candidates_for(chosen, classes).empty();
  searched.arity = allowed.arity && !arities_for(chosen, classes).empty();
  searched.noise_power = allowed.noise_power && row_of(chosen.noise).uses_power;
  searched.optimizer = allowed.optimizer && !is_online_tree(chosen);
  searched.l2 = allowed.l2 && !is_online_tree(chosen);
  const MethodRow& method = row_of(chosen.method);
  searched.nodes = allowed.nodes && method.grows_nodes && !nodes_for(classes).empty();
  searched.swap_resistance = allowed.swap_resistance && method.grows_nodes;
  return searched;
}

std::vector<TrainConfig> paper_grid(const TrainConfig& base, const Tunable& searched,
                                    std::uint32_t classes) {
  std::vector<TrainConfig> grid = {base};
  if (searched.noise_power) cross(grid, &TrainConfig::noise_power, kPaperPowers);
  if (searched.nodes) cross(grid, &TrainConfig::nodes, nodes_for(classes));
  if (searched.swap_resistance) cross(grid, &TrainConfig::swap_resistance, kSwapResistances);
  if (searched.lr) cross(grid, &TrainConfig::lr, kPaperRates);
  return grid;
}

SearchSpace::SearchSpace(const TrainConfig& base, const Tunable& searched, std::uint32_t classes,
                         AutomaticRate automatic_rate)
    : base_(base),
      searched_(searched),
      automatic_rate_(std::move(automatic_rate)),
      combinations_{base} {
  if (searched.optimizer) cross(combinations_, &TrainConfig::optimizer, optimizers());
  if (searched.l2) cross(combinations_, &TrainConfig::l2, kDecays);
  if (searched.candidates) {
    cross(combinations_, &TrainConfig::candidates, candidates_for(base, classes));
  }
  if (searched.arity) cross(combinations_, &TrainConfig::arity, arities_for(base, classes));
  if (searched.noise_power) cross(combinations_, &TrainConfig::noise_power, kPaperPowers);
  if (searched.nodes) cross(combinations_, &TrainConfig::nodes, nodes_for(classes));
  if (searched.swap_resistance) {
    cross(combinations_, &TrainConfig::swap_resistance, kSwapResistances);
  }
  if (!searched.lr) {
    std::erase_if(combinations_, [&](const TrainConfig& other) {
      return other.optimizer == base.optimizer && other.l2 == base.l2 &&
             other.candidates == base.candidates && other.arity == base.arity &&
             other.noise_power == base.noise_power && other.nodes == base.nodes &&
             other.swap_resistance == base.swap_resistance;
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
  return searched_.lr ? kMax : 1 + combinations_.size();
}

TrainConfig SearchSpace::operator[](std::size_t number) const {
  if (number == 0) return base_;
  TrainConfig config = combinations_[(number - 1) % combinations_.size()];
  if (searched_.lr) {
    // Multiples of the golden ratio from a random offset cover the range evenly for any number of
    // draws.
    constexpr double kGolden = 0.6180339887498949;
    const double begin = CounterRandom(base_.seed, RandomPurpose::kSearch).uniform(0, 1);
    const double place = begin + kGolden * static_cast<double>(number);
    const double octaves = kOctaves * (2.0 * (place - std::floor(place)) - 1.0);
    config.lr =
        short_rate(static_cast<double>(automatic_rate_(config.optimizer)) * std::exp2(octaves));
  }
  return config;
}

}  // namespace cane
