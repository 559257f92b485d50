#include "tune/pilot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cane/names.h"
#include "core/base/stopwatch.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "engine/hold_out.h"
#include "engine/start_guard.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"
#include "train/start/automatic_rate.h"
#include "tune/encoder_pilot.h"
#include "tune/pilot_trial.h"

namespace cane {
namespace {

// Multiples of the automatic rate that are tried, and of the best of these if it is not the
// automatic rate.
constexpr float kRateFactors[] = {0.25F, 4.0F};
// A smaller difference of accuracies is no difference.
constexpr double kMinDifference = 0.005;
// Another rate or start must be better by this many standard errors: several are tried, and one of
// them is always the luckiest.
constexpr double kSigmasToSwitch = 2.0;
// Trainings of a replica, at most: the automatic rate, those beside it, and the other start.
constexpr double kTrainings = 5.0;
constexpr std::size_t kMinClasses = 32;
constexpr std::size_t kMaxClasses = 512;

class Pilot {
 public:
  Pilot(const Dataset& data, const TrainConfig& asked, const DataFacts& facts,
        TrainObserver& observer)
      : asked_(asked),
        resolved_(resolve(asked, facts).config),
        observer_(observer),
        pool_(asked.threads),
        source_(std::make_shared<StartSource>(
            hold_out(data, guarded_examples(data.data().view), asked.seed).first, asked.seed)),
        runner_(pool_, observer) {}

  PilotResult run(std::size_t classes) {
    const Stopwatch stopwatch;
    if (!measure(classes)) {
      observer_.on_message("pilot: it has no result; the options follow from the sizes alone");
      return {asked_, source_};
    }
    report();
    TrainConfig config = asked_;
    config.start = best_.config.start;
    // The trials ran on the processor.
    config.lr = best_.config.lr * device_factor(resolved_);
    observer_.on_message(fmt::format("pilot: picked {}, learning rate {:.4g}, in {:.1f} s",
                                     setting_name(best_.config), config.lr, stopwatch.seconds()));
    return {std::move(config), source_};
  }

 private:
  bool measure(std::size_t classes) {
    TrainConfig clustered = resolved_;
    clustered.tree = kClusteredTree;
    const std::vector<ClassId> order = source_->tree(clustered, pool_).tree.leaf_order();
    const std::optional<Replica> replica =
        make_replica(source_->data(), order, classes, asked_.seed);
    if (!replica) return false;
    observer_.on_message(
        fmt::format("pilot: rates and starts; trained on {} examples of {} "
                    "classes, measured on {}",
                    replica->train.size(), replica->train.classes(), replica->held_out.size()));
    std::vector<PilotTrial> automatic(1);
    automatic.front().config = resolved_;
    automatic.front().config.lr = asked_.lr;
    if (!run(*replica, automatic) || !automatic.front().error.empty()) return false;
    best_ = automatic.front();
    return try_rates(*replica) && try_start(*replica) && best_.accuracy > 0.0;
  }

  bool try_rates(const Replica& replica) {
    if (asked_.lr != 0.0F) return true;
    const float automatic = best_.config.lr;
    std::vector<PilotTrial> trials;
    for (const float factor : kRateFactors) {
      trials.push_back(best_);
      trials.back().config.lr *= factor;
    }
    if (!try_all(replica, std::move(trials))) return false;
    const float factor = best_.config.lr / automatic;
    if (factor == 1.0F) return true;
    // Where a smaller or larger rate was better, one that is smaller or larger still may be, too.
    PilotTrial further = best_;
    further.config.lr *= factor;
    return try_all(replica, {further});
  }

  bool try_start(const Replica& replica) {
    if (asked_.start != StartKind::kAuto || has_prior(resolved_)) return true;
    PilotTrial other = best_;
    StartKind& start = other.config.start;
    start = start == StartKind::kMeans ? StartKind::kZero : StartKind::kMeans;
    return try_all(replica, {other});
  }

  // What is there stays unless another rate or start is clearly better.
  bool try_all(const Replica& replica, std::vector<PilotTrial> trials) {
    if (!run(replica, trials)) return false;
    const auto measured = static_cast<double>(replica.held_out.size());
    const double usual = best_.accuracy;
    const double noise =
        std::max(kMinDifference, std::sqrt(usual * (1.0 - usual) / measured)) * kSigmasToSwitch;
    for (const PilotTrial& trial : trials) {
      const double to_beat = std::max(best_.accuracy, usual + noise);
      if (trial.error.empty() && trial.accuracy > to_beat) best_ = trial;
    }
    return true;
  }

  bool run(const Replica& replica, std::vector<PilotTrial>& trials) {
    const bool finished = runner_.run(replica, trials);
    trials_.insert(trials_.end(), trials.begin(), trials.end());
    return finished;
  }

  void report() const {
    observer_.on_message(
        fmt::format("{:<34} {:>9} {:>9} {:>8}", "trained", "rate", "accuracy", "seconds"));
    for (const PilotTrial& trial : trials_) {
      observer_.on_message(trial.error.empty()
                               ? fmt::format("{:<34} {:>9.4g} {:>8.2f}% {:>8.2f}",
                                             setting_name(trial.config), trial.config.lr,
                                             100 * trial.accuracy, trial.seconds)
                               : fmt::format("{:<34} {}", setting_name(trial.config), trial.error));
    }
  }

  const TrainConfig& asked_;
  const TrainConfig resolved_;
  TrainObserver& observer_;
  ThreadPool pool_;
  std::shared_ptr<StartSource> source_;
  PilotRunner runner_;
  PilotTrial best_;
  std::vector<PilotTrial> trials_;
};

DataFacts facts_of_replica(DataFacts facts, std::size_t classes) {
  facts.examples = facts.examples * classes / facts.classes;
  facts.classes = static_cast<std::uint32_t>(classes);
  return facts;
}

}  // namespace

std::size_t pilot_classes(const TrainConfig& asked, const DataFacts& facts,
                          const PilotLimits& limits) {
  const bool is_open = asked.lr == 0.0F || asked.start == StartKind::kAuto;
  if (asked.pilot == PilotKind::kOff || !is_open || facts.classes < 2) return 0;
  const TrainConfig resolved = resolve(asked, facts).config;
  // A representation is learned from all examples; the examples of a few classes say little about
  // it.
  if (has_encoder(resolved) || is_online_tree(resolved)) return 0;
  const double training = training_work(resolved, facts);
  const bool is_short = training < limits.least_work;
  // The automatic rate fits dense rows; over sparse ones it is the noise of the labels that counts.
  const bool is_dense = has_dense_rows(resolved, facts.density);
  if (is_short && (is_dense || facts.examples < limits.fewest_examples)) return 0;
  const double room = (is_short ? limits.short_work : limits.share * training) / kTrainings;
  const std::size_t fewest = std::min<std::size_t>(kMinClasses, facts.classes);
  std::size_t classes = std::min<std::size_t>(kMaxClasses, facts.classes);
  while (training_work(resolved, facts_of_replica(facts, classes)) > room) {
    if (classes == fewest) return 0;
    classes = std::max(classes * 3 / 4, fewest);
  }
  return classes;
}

std::string setting_name(const TrainConfig& config) {
  std::string name = name_of(config.method);
  if (row_of(config.method).has_candidates) {
    name += fmt::format(" {} {}+{}", name_of(config.select), config.candidates, config.noises);
    if (has_projection(config)) name += fmt::format(", rank {}", config.rank);
  } else if (row_of(config.method).has_noises()) {
    name += fmt::format(" +{}", config.noises);
  }
  if (!has_encoder(config) && !has_prior(config) && config.start == StartKind::kZero)
    name += ", from zero";
  return name;
}

PilotResult run_pilot(const Dataset& data, const TrainConfig& asked, TrainObserver& observer,
                      const PilotLimits& limits) {
  const DataFacts facts = facts_of(data.data().view, static_cast<std::uint32_t>(data.classes()));
  const TrainConfig resolved = resolve(asked, facts).config;
  if (has_encoder(resolved)) {
    // Where lists are shared, one rate and one decay were near the best on all kinds of data.
    if (shares_lists(resolved)) return {asked, nullptr};
    return {run_encoder_pilot(data, asked, facts, observer, limits), nullptr};
  }
  const std::size_t classes = pilot_classes(asked, facts, limits);
  if (classes == 0) return {asked, nullptr};
  return Pilot(data, asked, facts, observer).run(classes);
}

}  // namespace cane
