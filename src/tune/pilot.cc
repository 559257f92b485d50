#include "tune/pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/stopwatch.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/hold_out.h"
#include "engine/start_guard.h"
#include "engine/start_source.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"
#include "train/start/automatic_rate.h"
#include "tune/encoder_pilot.h"
#include "tune/pilot_settings.h"
#include "tune/pilot_trial.h"

namespace cane {
namespace {

// Multiples of the automatic rate that are tried, and of the best of these if it is not the
// automatic rate.
constexpr float kRateFactors[] = {0.25F, 4.0F};
// Rates and starts are tried for this many families, if their expected accuracy is this near the
// best.
constexpr std::size_t kContenders = 2;
constexpr double kContenderMargin = 0.05;
// A smaller difference of accuracies is no difference.
constexpr double kMinDifference = 0.005;
// Another rate or start must be better by this many standard errors: several are tried, and one of
// them is always the luckiest.
constexpr double kSigmasToSwitch = 2.0;
// Of settings that cannot be told apart a cheaper one is taken before one that did better if its
// work is at most this part of the other's: a smaller saving is not worth the risk.
constexpr double kMaxCostRatio = 0.75;
// A selector that finds a share r of what the best one finds before training ends with about r^0.3
// of its accuracy, since it learns to find more: so six selectors on images of characters.
constexpr double kCoveragePower = 0.3;

double noise_of(double accuracy, std::size_t measured) {
  return std::max(kMinDifference,
                  std::sqrt(accuracy * (1.0 - accuracy) / static_cast<double>(measured)));
}

class Pilot {
 public:
  Pilot(const Dataset& data, const TrainConfig& asked, const DataFacts& facts, PilotPlan plan,
        TrainObserver& observer)
      : asked_(asked),
        facts_(facts),
        plan_(std::move(plan)),
        observer_(observer),
        pool_(asked.threads),
        parts_(hold_out(data, guarded_examples(data.data().view), asked.seed)),
        source_(std::make_shared<StartSource>(parts_.first, asked.seed)),
        runner_(pool_, observer) {
    for (const TrainConfig& setting : plan_.settings) settings_.emplace_back().config = setting;
  }

  PilotResult run() {
    const Stopwatch stopwatch;
    const bool finished = measure_selectors() && train_replicas();
    const Setting* best = finished ? pick() : nullptr;
    if (best == nullptr) {
      observer_.on_message("pilot: it has no result; the options follow from the sizes alone");
      return {asked_, source_};
    }
    report();
    TrainConfig config = chosen(*best);
    observer_.on_message(fmt::format("pilot: picked {}, learning rate {:.4g}, in {:.1f} s",
                                     setting_name(resolve(config, facts_).config), config.lr,
                                     stopwatch.seconds()));
    return {std::move(config), source_};
  }

 private:
  struct Setting {
    TrainConfig config;
    double coverage = 1.0;
    PilotTrial trained;  // the best training of its family
    double expected = 0.0;
  };

  bool measure_selectors() {
    if (plan_.measured == 0) return true;
    std::vector<std::uint32_t> first(std::min(plan_.measured, parts_.second.size()));
    std::iota(first.begin(), first.end(), 0U);
    const Dataset examples = parts_.second.subset(first);
    for (Setting& setting : settings_) {
      if (observer_.stop_requested()) return false;
      if (row_of(setting.config.method).has_candidates ||
          row_of(setting.config.method).is_hierarchical) {
        setting.coverage = selector_coverage(*source_, examples, setting.config, pool_);
        best_coverage_ = std::max(best_coverage_, setting.coverage);
      }
    }
    return true;
  }

  bool train_replicas() {
    TrainConfig clustered = plan_.settings.front();
    clustered.tree = kClusteredTree;
    const std::vector<ClassId> order = source_->tree(clustered, pool_).tree.leaf_order();
    replica_ = make_replica(source_->data(), order, plan_.classes, asked_.seed);
    if (!replica_) return false;
    observer_.on_message(
        fmt::format("pilot: {} settings; trained on {} examples of {} classes, measured on {}",
                    settings_.size(), replica_->train.size(), replica_->train.classes(),
                    replica_->held_out.size()));
    return train_families() && train_rates() && train_starts();
  }

  // Each family once, at the automatic rate.
  bool train_families() {
    std::vector<PilotTrial> trials;
    for (const Setting& setting : settings_) {
      const bool is_new = std::ranges::none_of(trials, [&](const PilotTrial& trial) {
        return is_same_family(trial.config, setting.config);
      });
      if (is_new) trials.emplace_back().config = setting.config;
    }
    if (!run(trials)) return false;
    families_ = trials;
    return true;
  }

  bool train_rates() {
    if (asked_.lr != 0.0F) return true;
    const std::vector<PilotTrial> automatic = families_;
    std::vector<PilotTrial> trials;
    std::vector<std::size_t> of_family;
    const auto add = [&](std::size_t family, float factor) {
      trials.emplace_back().config = families_[family].config;
      trials.back().config.lr *= factor;
      of_family.push_back(family);
    };
    for (const std::size_t i : contenders()) {
      for (const float factor : kRateFactors) add(i, factor);
    }
    if (!run(trials)) return false;
    take_better(trials, of_family);
    // Where a smaller or larger rate was better, one that is smaller or larger still may be, too.
    trials.clear();
    of_family.clear();
    for (std::size_t i = 0; i < families_.size(); ++i) {
      const float factor = families_[i].config.lr / automatic[i].config.lr;
      if (factor != 1.0F) add(i, factor);
    }
    if (!run(trials)) return false;
    take_better(trials, of_family);
    return true;
  }

  bool train_starts() {
    if (asked_.start != StartKind::kAuto) return true;
    std::vector<PilotTrial> trials;
    std::vector<std::size_t> of_family;
    for (const std::size_t i : contenders()) {
      if (has_prior(families_[i].config)) continue;
      trials.emplace_back().config = families_[i].config;
      StartKind& start = trials.back().config.start;
      start = start == StartKind::kMeans ? StartKind::kZero : StartKind::kMeans;
      of_family.push_back(i);
    }
    if (!run(trials)) return false;
    take_better(trials, of_family);
    return true;
  }

  // The few families that may still win, by what their best setting is expected to reach.
  std::vector<std::size_t> contenders() const {
    std::vector<double> expected(families_.size(), 0.0);
    for (std::size_t i = 0; i < families_.size(); ++i) {
      for (const Setting& setting : settings_) {
        if (!is_same_family(families_[i].config, setting.config)) continue;
        expected[i] = std::max(expected[i], expected_of(setting, families_[i]));
      }
    }
    const double best = *std::ranges::max_element(expected);
    std::vector<std::size_t> order(families_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return expected[i]; });
    order.resize(std::min(order.size(), kContenders));
    std::erase_if(order, [&](std::size_t i) { return expected[i] < best - kContenderMargin; });
    return order;
  }

  double expected_of(const Setting& setting, const PilotTrial& trained) const {
    if (!trained.error.empty()) return 0.0;
    const double found =
        best_coverage_ > 0.0 ? std::min(setting.coverage / best_coverage_, 1.0) : 1.0;
    return trained.accuracy * std::pow(found, kCoveragePower);
  }

  // The automatic rate and start stay unless another one is clearly better.
  void take_better(const std::vector<PilotTrial>& trials, std::span<const std::size_t> of_family) {
    const std::vector<PilotTrial> before = families_;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      PilotTrial& best = families_[of_family[i]];
      const double usual = before[of_family[i]].accuracy;
      const double to_beat = std::max(
          best.accuracy, usual + kSigmasToSwitch * noise_of(usual, replica_->held_out.size()));
      if (trials[i].error.empty() && trials[i].accuracy > to_beat) best = trials[i];
    }
  }

  bool run(std::vector<PilotTrial>& trials) {
    const bool finished = runner_.run(*replica_, trials);
    all_trials_.insert(all_trials_.end(), trials.begin(), trials.end());
    return finished;
  }

  const Setting* pick() {
    for (Setting& setting : settings_) {
      setting.trained = *std::ranges::find_if(families_, [&](const PilotTrial& trial) {
        return is_same_family(trial.config, setting.config);
      });
      setting.expected = expected_of(setting, setting.trained);
    }
    std::vector<const Setting*> order;
    for (const Setting& setting : settings_) order.push_back(&setting);
    std::ranges::stable_sort(order, std::greater(), &Setting::expected);
    const double most = order.front()->expected;
    if (most <= 0.0) return nullptr;
    const double least = most - noise_of(most, replica_->held_out.size());
    const Setting* taken = order.front();
    for (const Setting* setting : order) {
      const bool is_as_good = setting->expected >= least;
      if (is_as_good && work_of(*setting) <= kMaxCostRatio * work_of(*taken)) taken = setting;
    }
    return taken;
  }

  double work_of(const Setting& setting) const { return step_work(setting.config, facts_); }

  void report() const {
    observer_.on_message(
        fmt::format("{:<34} {:>9} {:>9} {:>8}", "trained", "rate", "accuracy", "seconds"));
    for (const PilotTrial& trial : all_trials_) {
      observer_.on_message(trial.error.empty()
                               ? fmt::format("{:<34} {:>9.4g} {:>8.2f}% {:>8.2f}",
                                             setting_name(trial.config), trial.config.lr,
                                             100 * trial.accuracy, trial.seconds)
                               : fmt::format("{:<34} {}", setting_name(trial.config), trial.error));
    }
    observer_.on_message(
        fmt::format("{:<34} {:>9} {:>9} {:>8}", "setting", "found", "expected", "work"));
    for (const Setting& setting : settings_) {
      observer_.on_message(fmt::format("{:<34} {:>8.2f}% {:>8.2f}% {:>8.2g}",
                                       setting_name(setting.config), 100 * setting.coverage,
                                       100 * setting.expected, work_of(setting)));
    }
  }

  TrainConfig chosen(const Setting& best) const {
    TrainConfig config = asked_;
    const TrainConfig& found = best.config;
    config.method = found.method;
    if (row_of(found.method).has_candidates) {
      config.select = found.select;
      config.candidates = found.candidates;
    }
    if (row_of(found.method).has_noises()) config.noises = found.noises;
    config.rank = found.rank;
    config.start = best.trained.config.start;
    // The trials ran on the processor.
    config.lr = best.trained.config.lr * device_factor(resolve(config, facts_).config);
    return config;
  }

  const TrainConfig& asked_;
  const DataFacts& facts_;
  PilotPlan plan_;
  TrainObserver& observer_;
  ThreadPool pool_;
  std::pair<Dataset, Dataset> parts_;  // all but a few examples, and these
  std::shared_ptr<StartSource> source_;
  PilotRunner runner_;
  std::optional<Replica> replica_;
  std::vector<Setting> settings_;
  std::vector<PilotTrial> families_;  // the best training of each
  std::vector<PilotTrial> all_trials_;
  double best_coverage_ = 0.0;
};

}  // namespace

PilotResult run_pilot(const Dataset& data, const TrainConfig& asked, TrainObserver& observer,
                      const PilotLimits& limits) {
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  const TrainConfig resolved = resolve(asked, facts).config;
  if (has_encoder(resolved)) {
    // Where lists are shared, one rate and one decay were near the best on all kinds of data.
    if (shares_lists(resolved)) return {asked, nullptr};
    return {run_encoder_pilot(data, asked, facts, observer, limits), nullptr};
  }
  PilotPlan plan = plan_pilot(asked, facts, limits);
  if (plan.settings.empty()) return {asked, nullptr};
  plan.measured = std::min(plan.measured, guarded_examples(data.data().view));
  return Pilot(data, asked, facts, std::move(plan), observer).run();
}

}  // namespace cane
