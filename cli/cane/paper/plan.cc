#include "cli/cane/paper/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/cane/compare/spec.h"
#include "cli/cane/paper/estimate.h"
#include "cli/cane/paper/plan_parts.h"
#include "methods/config_facts.h"

namespace cane::cli::paper {
namespace {

// Figure 2, Tables 1 to 3 and the protocol of one set: tuning, then the methods of the paper by its
// protocol, then ours.
class ClassificationPlan {
 public:
  ClassificationPlan(const FoundSet& set, const Effort& effort, const PlanOptions& options,
                     std::vector<Run>& runs)
      : set_(set), effort_(effort), options_(options), runs_(runs) {}

  void add() {
    for (const Series& series : figure_2_series(*set_.row)) {
      std::vector<std::string> parts = {part("figure2"), part("table1")};
      if (series.spec.starts_with("cane")) parts.push_back(part("table3"));
      tune(series, parts);
      compare("paper", series, parts, protocol_options(series), is_tuned(series) ? kPicked : "");
    }
    for (const Series& series : our_series(*set_.row)) {
      compare("ours", series, {part("figure2")}, {}, "");
    }
    for (const Series& series : tree_series()) {
      tune(series, {part("table2")});
      compare("trees", series, {part("table2")}, protocol_options(series),
              is_tuned(series) ? kPicked : "");
    }
    if (options_.has_vw) add_vowpal_wabbit(set_, effort_, options_, runs_);
    if (set_.row->is_stand_in()) return;
    add_rates();
    for (const Effect& effect : effects()) add_effect(effect);
  }

 private:
  std::string part(const char* of) const { return fmt::format("{}/{}", of, set_.row->key); }

  // The paper does not scale its features, begins anywhere (zero here) and keeps its rate. The
  // online trees have a start and steps of their own.
  Arguments protocol_options(const Series& series) const {
    Arguments arguments = {"--schedule", "constant"};
    if (!is_online_tree(parse_methods(series.spec, {}).front().config)) {
      arguments.insert(arguments.end(), {"--start", "zero", "--optimizer", "sgd"});
    }
    const Arguments features = plain_features(set_);
    arguments.insert(arguments.end(), features.begin(), features.end());
    return arguments;
  }

  bool is_tuned(const Series& series) const {
    return effort_.has_time_to_tune(expect_tune(set_, series.spec, options_.threads).seconds);
  }

  void tune(const Series& series, std::vector<std::string> parts) {
    if (!is_tuned(series)) return;
    parts.push_back(part("protocol"));
    Run run;
    run.id = run_id(set_.row->key, "tune", series.label, options_.seed);
    run.parts = std::move(parts);
    run.commands = {{"tune", set_.train, "--protocol", "paper", "--json", "--quiet"}};
    Arguments& arguments = run.commands.front();
    const Arguments method = options_of_spec(series.spec);
    arguments.insert(arguments.end(), method.begin(), method.end());
    const Arguments common = protocol_options(series);
    arguments.insert(arguments.end(), common.begin(), common.end());
    finish(run, expect_tune(set_, series.spec, options_.threads), options_.seed);
  }

  void compare(const char* kind, const Series& series, const std::vector<std::string>& parts,
               const Arguments& more, const std::string& picked) {
    const std::uint32_t epochs = epochs_of(*set_.row, effort_);
    const Expected expected =
        expect_compare(set_, series.spec, epochs, effort_.limit, options_.threads);
    constexpr double kShort = 60.0;  // runs of up to a minute are repeated with other seeds
    const double whole = expect_compare(set_, series.spec, epochs, 0.0, options_.threads).seconds;
    const std::uint32_t seeds = whole <= kShort ? effort_.seeds : 1;
    for (std::uint64_t seed = options_.seed; seed < options_.seed + seeds; ++seed) {
      Run run;
      run.id = run_id(set_.row->key, kind, series.label, seed);
      run.parts = parts;
      if (!picked.empty()) run.after = run_id(set_.row->key, "tune", series.label, options_.seed);
      run.commands = {compare_command(series.spec + (picked.empty() ? "" : ":" + picked), epochs)};
      run.commands.front().insert(run.commands.front().end(), more.begin(), more.end());
      finish(run, expected, seed);
    }
  }

  // How the coverage of Table 3 depends on the rate, and on the scale of the features.
  void add_rates() {
    const std::uint32_t candidates = candidate_counts(*set_.row).back();
    const std::string spec = fmt::format("cane:beam:{}+{}:arity=10:noise=uniform", candidates,
                                         set_.row->shortlist - candidates);
    for (const RateRow& row : rate_rows()) {
      const std::uint32_t epochs = std::max(epochs_of(*set_.row, effort_) / row.divides_epochs, 1U);
      Run run;
      run.id = run_id(set_.row->key, "rates", row.label, options_.seed);
      run.parts = {part("table3")};
      run.commands = {compare_command(fmt::format("{}:{}", spec, row.options), epochs)};
      const Arguments more = {"--optimizer", "sgd",         "--weights",
                              "count",       "--normalize", row.normalize};
      run.commands.front().insert(run.commands.front().end(), more.begin(), more.end());
      finish(run, expect_compare(set_, spec, epochs, effort_.limit, options_.threads),
             options_.seed);
    }
  }

  // The paper's setting with one thing done our way.
  void add_effect(const Effect& effect) {
    const std::uint32_t candidates = candidate_counts(*set_.row).back();
    const std::uint32_t noises = set_.row->shortlist - candidates;
    const std::string spec = fmt::format("cane:{}+{}:{}", candidates, noises, effect.options);
    const std::uint32_t epochs = epochs_of(*set_.row, effort_);
    const Series tuned = figure_2_series(*set_.row).back();
    const bool takes_rate = !effect.has_own_rate && is_tuned(tuned);
    Run run;
    run.id = run_id(set_.row->key, "effects", effect.label, options_.seed);
    run.parts = {part("differences")};
    if (takes_rate) run.after = run_id(set_.row->key, "tune", tuned.label, options_.seed);
    run.commands = {
        compare_command(takes_rate ? fmt::format("{}:{}", spec, kPicked) : spec, epochs)};
    const Arguments more = protocol_options({effect.label, spec});
    run.commands.front().insert(run.commands.front().end(), more.begin(), more.end());
    finish(run, expect_compare(set_, spec, epochs, effort_.limit, options_.threads), options_.seed);
  }

  Arguments compare_command(const std::string& spec, std::uint32_t epochs) const {
    return {"compare",
            set_.train,
            set_.test,
            "--methods",
            spec,
            "--epochs",
            fmt::format("{}", epochs),
            "--limit",
            fmt::format("{:.0f}s", effort_.limit),
            "--out",
            kFolder,
            "--quiet"};
  }

  void finish(Run& run, const Expected& expected, std::uint64_t seed) {
    Arguments& arguments = run.commands.front();
    arguments.insert(arguments.end(), {"--seed", fmt::format("{}", seed), "--threads",
                                       fmt::format("{}", options_.threads)});
    run.files = {set_.train, set_.test};
    run.seconds = expected.seconds;
    run.bytes = expected.bytes;
    runs_.push_back(std::move(run));
  }

  const FoundSet& set_;
  const Effort& effort_;
  const PlanOptions& options_;
  std::vector<Run>& runs_;
};

// The chosen runs, and the tunings that they wait for.
void keep_chosen(const std::vector<std::string>& only, std::vector<Run>& runs) {
  std::set<std::string> needed;
  for (const Run& run : runs) {
    const bool is_kept = std::ranges::any_of(
        run.parts, [&](const std::string& part) { return is_chosen(only, part); });
    if (is_kept) needed.insert({run.id, run.after});
  }
  std::erase_if(runs, [&](const Run& run) { return !needed.contains(run.id); });
}

}  // namespace

std::string filled_in(std::string text, const std::string& place, const std::string& value) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
    text.replace(at, place.size(), value);
    at += value.size();
  }
  return text;
}

std::string run_id(std::string_view set, std::string_view kind, const std::string& label,
                   std::uint64_t seed) {
  return fmt::format("{}/{}/{}/{}", set, kind, label, seed);
}

bool is_chosen(const std::vector<std::string>& only, const std::string& part) {
  return only.empty() || std::ranges::any_of(only, [&](const std::string& wanted) {
           return part == wanted || part.starts_with(wanted + "/");
         });
}

std::uint32_t epochs_of(const SetRow& set, const Effort& effort) {
  return std::max(static_cast<std::uint32_t>(std::lround(effort.share * set.epochs)), 1U);
}

std::vector<Run> make_plan(const std::vector<FoundSet>& sets, const Effort& effort,
                           const PlanOptions& options) {
  std::vector<Run> runs;
  for (const FoundSet& set : sets) {
    if (set.row->task == Task::kClassification) {
      ClassificationPlan(set, effort, options, runs).add();
    }
  }
  add_theorems(runs);
  add_cost(effort, options, runs);
  if (options.has_lm) add_language(sets, effort, options, runs);
  keep_chosen(options.only, runs);
  return runs;
}

Effort effort_for(double budget_seconds, const std::vector<FoundSet>& sets,
                  const PlanOptions& options) {
  constexpr double kShares[] = {1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02};
  constexpr double kRunsAtLeast = 12.0;  // no single run takes more than this part of the budget
  Effort effort;
  for (const double share : kShares) {
    effort = {.seeds = share == 1.0 ? 3U : 1U,
              .share = share,
              .limit = std::max(budget_seconds / kRunsAtLeast, 5.0),
              .most_classes = share >= 0.5 ? 1000000U : (share >= 0.15 ? 100000U : 10000U)};
    double total = 0.0;
    for (const Run& run : make_plan(sets, effort, options)) total += run.seconds;
    if (total <= budget_seconds) break;
  }
  return effort;
}

}  // namespace cane::cli::paper
