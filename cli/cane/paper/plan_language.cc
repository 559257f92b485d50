#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "cli/cane/paper/estimate.h"
#include "cli/cane/paper/plan_parts.h"

namespace cane::cli::paper {
namespace {

// The grid of the paper for language models has the rates 0.025, 0.05, 0.1 and 0.2 of an optimiser
// that it does not name. With AdaGrad the lowest of them is too high here, so that the rates are a
// fiftieth of these, for Adam.
constexpr const char* kRates[] = {"0.0005", "0.001", "0.002", "0.004"};
constexpr const char* kPowers[] = {"0", "0.25", "0.5", "0.75", "1"};
constexpr std::uint32_t kTunedShortlist = 80;

bool has_power(const std::string& family) {
  return family == "NCE" || family == "BlackOut";
}

std::vector<std::string> grid_of(const Head& head) {
  std::vector<std::string> specs;
  for (const char* rate : kRates) {
    if (!has_power(family_of(head))) {
      specs.push_back(fmt::format("{}:lr={}", head.spec, rate));
      continue;
    }
    for (const char* power : kPowers) {
      specs.push_back(fmt::format("{}:lr={}:noise-power={}", head.spec, rate, power));
    }
  }
  return specs;
}

// The body and the sequences of the paper.
Arguments command_of(const FoundSet& set, const std::string& heads, const LanguageEffort& effort,
                     const PlanOptions& options) {
  return {"compare",
          set.train,
          "--valid",
          set.valid,
          "--test",
          set.test,
          "--heads",
          heads,
          "--epochs",
          fmt::format("{}", effort.epochs),
          "--vocabulary",
          fmt::format("{}", set.row->words),
          "--min-count",
          fmt::format("{}", set.row->least_count),
          "--optimizer",
          "adam",
          "--decay",
          "1",
          "--patience",
          "0",
          "--tokens",
          fmt::format("{}", effort.tokens),
          "--measured-tokens",
          fmt::format("{}", effort.measured_tokens),
          "--device",
          options.on_gpu ? "cuda" : "cpu",
          "--threads",
          fmt::format("{}", options.threads),
          "--seed",
          fmt::format("{}", options.seed),
          "--out",
          kFolder,
          "--quiet"};
}

double tokens_of(const FoundSet& set, const LanguageEffort& effort) {
  return static_cast<double>(effort.tokens > 0 ? effort.tokens : set.row->tokens);
}

double measured_of(const LanguageEffort& effort) {
  constexpr double kTextToMeasure = 300000.0;
  return effort.measured_tokens > 0 ? static_cast<double>(effort.measured_tokens) : kTextToMeasure;
}

// Tunes every family on one text. Returns the families that there was time for.
std::set<std::string> add_tuning(const FoundSet& set, const Effort& all, const PlanOptions& options,
                                 std::vector<Run>& runs) {
  std::set<std::string> tuned;
  LanguageEffort effort = language_effort(*set.row, all, options.on_gpu);
  effort.epochs = 1;
  // Half an epoch, as the paper; a tenth of what is trained where that is less already.
  effort.tokens = effort.tokens > 0 ? effort.tokens / 10 : set.row->tokens / 2;
  effort.measured_tokens = effort.measured_tokens / 2;
  for (const Head& head : language_heads()) {
    if (head.classes != 0 && head.classes != kTunedShortlist) continue;
    const std::vector<std::string> grid = grid_of(head);
    Run run;
    run.id = run_id("language", "lm-tune", family_of(head), options.seed);
    run.parts = {"figure3", "protocol/language"};
    run.tool = Tool::kCaneLm;
    run.commands = {command_of(set, fmt::format("{}", fmt::join(grid, ",")), effort, options)};
    run.files = {set.train, set.valid, set.test};
    const auto points = static_cast<double>(grid.size());
    const Expected expected =
        expect_head(head.spec, set.row->words, points * tokens_of(set, effort),
                    points * 2.0 * measured_of(effort), options.on_gpu, options.threads);
    if (!all.has_time_to_tune(expected.seconds)) continue;
    run.seconds = expected.seconds;
    run.bytes = expected.bytes;
    runs.push_back(std::move(run));
    tuned.insert(family_of(head));
  }
  return tuned;
}

}  // namespace

LanguageEffort language_effort(const SetRow& set, const Effort& effort, bool on_gpu) {
  const bool is_small = set.tokens < 2000000;
  const auto shared = [&](double whole) {
    return std::max<std::uint32_t>(static_cast<std::uint32_t>(std::lround(effort.share * whole)),
                                   1);
  };
  if (on_gpu) return {.epochs = shared(is_small ? 12 : 2), .tokens = 0, .measured_tokens = 0};
  // Without a GPU a text of millions of words is too long: so many are trained, once.
  constexpr double kSmallText = 900000;
  constexpr double kLargeText = 500000;
  return {.epochs = 1,
          .tokens = std::max<std::uint64_t>(shared(is_small ? kSmallText : kLargeText), 4000),
          .measured_tokens = std::max(shared(is_small ? 20000 : 5000), 1000U)};
}

void add_language(const std::vector<FoundSet>& sets, const Effort& effort,
                  const PlanOptions& options, std::vector<Run>& runs) {
  std::optional<std::set<std::string>> tuned;
  for (const FoundSet& set : sets) {
    if (set.row->task != Task::kLanguageModel) continue;
    if (!tuned) tuned = add_tuning(set, effort, options, runs);
    const LanguageEffort how = language_effort(*set.row, effort, options.on_gpu);
    for (const Head& head : language_heads()) {
      Run run;
      run.id = run_id(set.row->key, "lm", head.label, options.seed);
      run.parts = {fmt::format("figure3/{}", set.row->key)};
      run.tool = Tool::kCaneLm;
      const bool is_tuned = tuned->contains(family_of(head));
      if (is_tuned) run.after = run_id("language", "lm-tune", family_of(head), options.seed);
      run.commands = {command_of(
          set, is_tuned ? fmt::format("{}:{}", head.spec, kPicked) : head.spec, how, options)};
      run.files = {set.train, set.valid, set.test};
      const Expected expected =
          expect_head(head.spec, set.row->words, tokens_of(set, how) * how.epochs,
                      measured_of(how) * (how.epochs + 1.0), options.on_gpu, options.threads);
      run.seconds = expected.seconds;
      run.bytes = expected.bytes;
      runs.push_back(std::move(run));
    }
  }
}

}  // namespace cane::cli::paper
