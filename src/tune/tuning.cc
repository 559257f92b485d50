#include "tune/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "cane/error.h"
#include "data/loaded_data.h"
#include "engine/describe_model.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "train/start/automatic_rate.h"
#include "tune/halving.h"
#include "tune/search_space.h"
#include "tune/trial_runner.h"

namespace cane {
namespace {

constexpr double kPaperShare = 0.5;
// The first rung uses this share of an epoch, or more on small data: it needs at least this many
// examples per class, and this many in total, to tell configurations apart.
constexpr double kSmallestShare = 1.0 / 16.0;
constexpr double kExamplesOfClass = 4.0;
constexpr double kExamples = 500.0;
// Accuracies that differ by no more than this many standard errors do not differ significantly.
constexpr double kAlike = 0.5;
// A trial is short if it trains for less than a fifth of the epochs of the full training.
constexpr double kShortFactor = 5.0;

TuneOptions with_default_budget(TuneOptions options) {
  if (options.protocol == Protocol::kHalving && options.trials == 0 && options.seconds == 0.0) {
    options.seconds = TuneOptions::kDefaultSeconds;
  }
  return options;
}

class Tuning {
 public:
  Tuning(const Dataset& data, const TrainConfig& asked, const TuneOptions& options,
         TuneObserver& observer)
      : options_(with_default_budget(options)),
        observer_(observer),
        runner_(data, options.held_out, asked.seed, observer),
        classes_(static_cast<std::uint32_t>(data.classes())) {
    const Resolved resolved = resolve(asked, facts_of(data.data().view, classes_));
    for (const std::string& reason : resolved.reasons) observer_.on_message(reason);
    chosen_ = resolved.config;
    chosen_.beam = asked.beam;
    searched_ = searched_options(options.search, chosen_, classes_);
    result_.config = asked;
    result_.config.method = chosen_.method;
    result_.config.encoder = chosen_.encoder;
    result_.config.epochs = chosen_.epochs;
    result_.config.l2 = chosen_.l2;
    if (row_of(chosen_.method).has_candidates) result_.config.select = chosen_.select;
  }

  TuneResult run() {
    if (options_.protocol == Protocol::kPaper) {
      search_paper_grid();
    } else {
      search_by_halving();
    }
    if (result_.best) {
      take_over(result_.trials[*result_.best].config);
    } else if (!result_.interrupted) {
      throw Error(fmt::format("all of {} trials failed; the first: {}", result_.trials.size(),
                              result_.trials.front().error));
    }
    return std::move(result_);
  }

 private:
  bool is_timed() const { return options_.trials == 0 && options_.seconds > 0.0; }

  TrainConfig base() const {
    TrainConfig config = chosen_;
    config.checkpoint_path.clear();
    config.resume = false;
    config.deterministic = config.deterministic || !is_timed();
    return config;
  }

  // Adds a trial; returns false if the user stopped it.
  bool attempt(const TrainConfig& config, std::uint32_t rung, double share) {
    std::optional<Trial> trial = runner_.run(config, rung, share);
    result_.interrupted = !trial;
    if (!trial) return false;
    seconds_ += trial->seconds;
    result_.trials.push_back(std::move(*trial));
    observer_.on_trial(result_.trials.back());
    return true;
  }

  void search_paper_grid() {
    searched_.l2 = false;
    searched_.epochs = false;
    searched_.candidates = false;
    searched_.arity = false;
    if (std::exchange(searched_.optimizer, false)) {
      chosen_.optimizer = result_.config.optimizer = OptimizerKind::kSgd;
    }
    const std::vector<TrainConfig> grid = paper_grid(base(), searched_, classes_);
    observer_.on_begin(searched_);
    for (std::size_t i = 0; i < grid.size() && has_budget_for_next(); ++i) {
      if (!attempt(grid[i], 0, kPaperShare)) return;
      const Trial& trial = result_.trials.back();
      if (!trial.error.empty()) continue;
      if (!result_.best || trial.accuracy > result_.trials[*result_.best].accuracy) {
        result_.best = i;
      }
    }
    if (result_.trials.size() < grid.size()) {
      observer_.on_message(fmt::format("the budget was enough for {} of the {} points of the grid",
                                       result_.trials.size(), grid.size()));
    }
    if (result_.best && searched_.lr) warn_at_the_edge(grid.front().lr, grid.back().lr);
  }

  bool has_budget_for_next() const {
    const std::size_t done = result_.trials.size();
    if (done == 0) return true;
    if (options_.trials > 0) return done < options_.trials;
    return !is_timed() || seconds_ * (1.0 + 1.0 / static_cast<double>(done)) <= options_.seconds;
  }

  std::uint32_t classes() const { return static_cast<std::uint32_t>(runner_.rest().classes()); }

  void warn_at_the_edge(float lowest, float highest) {
    const TrainConfig& best = result_.trials[*result_.best].config;
    if (best.lr != lowest && best.lr != highest) return;
    observer_.on_message(
        fmt::format("the best rate is the {} of the grid, a better one may lie beyond; the "
                    "automatic rate is {:.3g}, and `protocol halving` searches around it",
                    best.lr == lowest ? "lowest" : "highest",
                    automatic_rate(runner_.rest().data().view, best, classes())));
  }

  void search_by_halving() {
    std::map<OptimizerKind, float> rates;
    const SearchSpace space(base(), searched_, classes(), [&](OptimizerKind optimizer) {
      const auto [place, is_new] = rates.try_emplace(optimizer);
      if (is_new) {
        TrainConfig config = base();
        config.optimizer = optimizer;
        place->second = automatic_rate(runner_.rest().data().view, config, classes());
      }
      return place->second;
    });
    HalvingOptions halving;
    halving.configurations = space.size();
    halving.first_share = first_share();
    halving.top_share = is_timed() ? result_.config.epochs : 1.0;
    halving.trials = options_.trials;
    halving.seconds = options_.seconds;
    observer_.on_begin(searched_);
    std::vector<std::size_t> numbers;  // configuration of each trial
    const auto best = successive_halving(
        halving,
        [&](std::size_t number, std::uint32_t rung, double share) -> std::optional<TrialOutcome> {
          if (!attempt(space[number], rung, share)) return std::nullopt;
          numbers.push_back(number);
          const Trial& trial = result_.trials.back();
          if (!trial.error.empty()) return TrialOutcome{std::nullopt, trial.seconds};
          return TrialOutcome{trial.accuracy, trial.seconds};
        });
    for (std::size_t i = 0; best && i < numbers.size(); ++i) {
      if (numbers[i] == *best && result_.trials[i].error.empty()) result_.best = i;
    }
    if (!result_.best) return;
    if (is_timed() && !prefer_automatic(space[0], numbers)) return;
    if (searched_.epochs) find_epochs(numbers);
    if (!result_.interrupted) warn_of_short_trials();
  }

  // The best of many trials is always a lucky one. So the automatic configuration, which may have
  // lost as short trials like high rates, is tried at full length, and stays unless it is clearly
  // worse. Returns false if the user stopped it.
  bool prefer_automatic(const TrainConfig& automatic, std::vector<std::size_t>& numbers) {
    const Trial best = result_.trials[*result_.best];
    if (numbers[*result_.best] == 0) return true;
    if (!attempt(automatic, best.rung, best.epochs)) return false;
    numbers.push_back(0);
    const double error = std::sqrt(best.accuracy * (1.0 - best.accuracy) /
                                   static_cast<double>(runner_.held_out().size()));
    const Trial& trial = result_.trials.back();
    if (trial.error.empty() && trial.accuracy >= best.accuracy - kAlike * error) {
      result_.best = result_.trials.size() - 1;
    }
    return true;
  }

  // Each trial has a schedule of its own length, so the trials of one configuration show which
  // length pays.
  void find_epochs(std::span<const std::size_t> numbers) {
    const std::size_t longest = *result_.best;
    if (result_.trials[longest].epochs < result_.config.epochs) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Trial& trial = result_.trials[i];
      const bool is_shorter = numbers[i] == numbers[longest] && trial.error.empty() &&
                              trial.epochs >= 1.0 && trial.epochs == std::floor(trial.epochs);
      if (is_shorter && trial.accuracy > result_.trials[*result_.best].accuracy) result_.best = i;
    }
    found_epochs_ = static_cast<std::uint32_t>(result_.trials[*result_.best].epochs);
  }

  void warn_of_short_trials() {
    if (found_epochs_ > 0) return;
    const double longest = result_.trials[*result_.best].epochs;
    if (longest * kShortFactor >= result_.config.epochs) return;
    observer_.on_message(fmt::format(
        "the longest trials had {:.4g} epochs, and the training has {}: what is best in "
        "a short one may not be in a long one, and a larger budget shows it",
        longest, result_.config.epochs));
  }

  double first_share() const {
    const auto examples = static_cast<double>(runner_.rest().size());
    const auto classes = static_cast<double>(runner_.rest().classes());
    const double least =
        std::max({kSmallestShare, kExamplesOfClass * classes / examples, kExamples / examples});
    double share = 1.0;
    while (share / 2.0 >= least) share /= 2.0;
    return share;
  }

  void take_over(const TrainConfig& found) {
    TrainConfig& config = result_.config;
    if (searched_.lr) config.lr = found.lr;
    if (searched_.optimizer) config.optimizer = found.optimizer;
    if (searched_.l2) config.l2 = found.l2;
    if (found_epochs_ > 0) config.epochs = found_epochs_;
    if (searched_.candidates) config.candidates = found.candidates;
    if (searched_.arity) config.arity = found.arity;
    if (searched_.noise_power) config.noise_power = found.noise_power;
    if (searched_.nodes) config.nodes = found.nodes;
    if (searched_.swap_resistance) config.swap_resistance = found.swap_resistance;
  }

  const TuneOptions options_;
  TuneObserver& observer_;
  TrialRunner runner_;
  std::uint32_t classes_;
  // Resolved on the whole data, so that a part of it does not lead to other choices. A beam or rate
  // that the user left open stays open: they depend on the candidates and the optimiser.
  TrainConfig chosen_;
  Tunable searched_;
  TuneResult result_;
  double seconds_ = 0.0;            // of all trials
  std::uint32_t found_epochs_ = 0;  // 0: as asked
};

}  // namespace

TuneResult run_tuning(const Dataset& data, const TrainConfig& config, const TuneOptions& options,
                      TuneObserver& observer) {
  return Tuning(data, config, options, observer).run();
}

}  // namespace cane
