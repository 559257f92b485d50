#include "tune/encoder_pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/base/random_permutation.h"
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "data/loaded_data.h"
#include "engine/hold_out.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"
#include "train/shuffle.h"
#include "train/start/automatic_rate.h"
#include "tune/pilot_trial.h"

namespace cane {
namespace {

// Multiples of the automatic rate, ascending.
constexpr float kFactors[] = {0.125F, 0.25F, 0.5F, 1.0F, 2.0F};
// More would tell nothing new.
constexpr std::size_t kMaxPilotExamples = 200'000;
constexpr std::size_t kMaxHeldOut = 10'000;

// Examples that each rate is tried on; 0: a pilot does not pay.
std::size_t examples_per_rate(const TrainConfig& asked, const DataFacts& facts,
                              const PilotLimits& limits) {
  if (training_work(resolve(asked, facts).config, facts) < limits.least_work) return 0;
  const double room = limits.share * static_cast<double>(facts.examples) *
                      resolve(asked, facts).config.epochs /
                      static_cast<double>(std::size(kFactors));
  const std::size_t most = std::min(kMaxPilotExamples, facts.examples / 2);
  const std::size_t count = std::min(static_cast<std::size_t>(room), most);
  return count < limits.fewest_encoded_examples ? 0 : count;
}

Dataset sample_of(const Dataset& data, std::size_t count, std::uint64_t seed) {
  const RandomPermutation place(data.size(), CounterRandom(seed, RandomPurpose::kSplit, 1));
  std::vector<std::uint32_t> examples;
  for (std::size_t i = 0; i < std::min(count, data.size()); ++i) {
    examples.push_back(static_cast<std::uint32_t>(place(i)));
  }
  return data.subset(examples);
}

// The smallest rate that is as good as the best up to noise: the longer a training, the less it
// gains from large steps.
const PilotTrial* pick(const std::vector<PilotTrial>& trials, std::size_t held_out) {
  const auto best = std::ranges::max_element(trials, {}, &PilotTrial::accuracy);
  if (best->accuracy <= 0.0) return nullptr;
  const double noise =
      std::sqrt(best->accuracy * (1.0 - best->accuracy) / static_cast<double>(held_out));
  return &*std::ranges::find_if(
      trials, [&](const PilotTrial& trial) { return trial.accuracy >= best->accuracy - noise; });
}

}  // namespace

TrainConfig run_encoder_pilot(const Dataset& data, const TrainConfig& asked, const DataFacts& facts,
                              TrainObserver& observer, const PilotLimits& limits) {
  const bool is_open = asked.lr == 0.0F && asked.pilot != PilotKind::kOff;
  if (!is_open || facts.classes < 2 || wants_windows(data.data().view)) return asked;
  const TrainConfig resolved = resolve(asked, facts).config;
  const std::size_t count = is_online_tree(resolved) ? 0 : examples_per_rate(asked, facts, limits);
  if (count == 0) return asked;

  const Stopwatch stopwatch;
  ThreadPool pool(asked.threads);
  const auto parts = hold_out(data, std::min(kMaxHeldOut, data.size() / 20), asked.seed);
  const Replica replica = {sample_of(parts.first, count, asked.seed), parts.second};
  const float automatic = automatic_rate(data.data().view, resolved, facts.classes);
  const float on_device = device_factor(resolved);
  std::vector<PilotTrial> trials;
  for (const float factor : kFactors) {
    TrainConfig& config = trials.emplace_back().config;
    config = resolved;
    config.epochs = 1;
    config.lr = factor * automatic / on_device;  // the trials run on the processor
    // The tree of the training takes longer to build than a trial takes, and its rate is the same.
    if (uses_tree(config) && config.tree == kClusteredTree) config.tree = "balanced";
  }
  observer.on_message(
      fmt::format("pilot: {} learning rates, trained on {} examples, measured on {}", trials.size(),
                  replica.train.size(), replica.held_out.size()));
  PilotRunner runner(pool, observer);
  const PilotTrial* best =
      runner.run(replica, trials) ? pick(trials, replica.held_out.size()) : nullptr;
  if (best == nullptr) {
    observer.on_message("pilot: it has no result; the rate follows from the options alone");
    return asked;
  }
  observer.on_message(fmt::format("{:>9} {:>9} {:>8}", "rate", "accuracy", "seconds"));
  for (const PilotTrial& trial : trials) {
    observer.on_message(trial.error.empty()
                            ? fmt::format("{:>9.4g} {:>8.2f}% {:>8.2f}", trial.config.lr,
                                          100 * trial.accuracy, trial.seconds)
                            : fmt::format("{:>9.4g} {}", trial.config.lr, trial.error));
  }
  observer.on_message(fmt::format("pilot: picked learning rate {:.4g}, in {:.1f} s",
                                  best->config.lr, stopwatch.seconds()));
  TrainConfig chosen = asked;
  chosen.lr = best->config.lr * on_device;
  return chosen;
}

}  // namespace cane
