#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/cane/paper/plan_parts.h"

namespace cane::cli::paper {
namespace {

constexpr std::uint32_t kDimension = 64;
constexpr std::uint64_t kFewExamples = 50000;
constexpr double kLimit = 120.0;  // seconds; a method that takes longer is timed for a part of them

}  // namespace

std::vector<std::uint32_t> cost_classes(const Effort& effort) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t classes = 1000; classes <= effort.most_classes; classes *= 10) {
    counts.push_back(classes);
  }
  return counts;
}

std::uint64_t cost_examples(std::uint32_t classes) {
  return std::max<std::uint64_t>(classes, kFewExamples);
}

std::uint64_t cost_tests(std::uint32_t classes) {
  if (classes >= 1000000) return 200;
  return classes >= 100000 ? 1000 : 10000;
}

void add_theorems(std::vector<Run>& runs) {
  Run run;
  run.id = run_id("theorems", "theory", "all", 1);
  run.parts = {"theorems"};
  run.tool = Tool::kTheory;
  run.seconds = 12.0;
  run.bytes = 100U << 20;
  runs.push_back(std::move(run));
}

void add_cost(const Effort& effort, const PlanOptions& options, std::vector<Run>& runs) {
  for (const std::uint32_t classes : cost_classes(effort)) {
    const std::uint64_t examples = cost_examples(classes);
    const std::uint64_t tests = cost_tests(classes);
    const std::string folder = std::string(kFolder) + "/made";
    Run run;
    run.id = run_id("cost", "compare", fmt::format("{}", classes), options.seed);
    run.parts = {"cost"};
    run.commands = {
        {"synth", folder, "--classes", fmt::format("{}", classes), "--examples",
         fmt::format("{}", examples), "--test-examples", fmt::format("{}", tests), "--dim",
         fmt::format("{}", kDimension), "--seed", fmt::format("{}", options.seed)},
        {"compare",
         folder + "/X_train.npy",
         folder + "/X_test.npy",
         "--methods",
         fmt::format("{}", fmt::join(cost_methods(), ",")),
         "--epochs",
         "1",
         "--limit",
         fmt::format("{:.0f}s", std::min(kLimit, effort.limit)),
         "--log-loss",
         "none",
         "--auto",
         "off",
         "--out",
         kFolder,
         "--quiet",
         "--seed",
         fmt::format("{}", options.seed),
         "--threads",
         fmt::format("{}", options.threads)}};
    // As 1,000 to a million classes took on two cores.
    run.seconds = 3.0 + 400e-6 * classes + 8.0 * std::log10(classes / 1000.0);
    run.bytes = (200U << 20) + std::uint64_t{2000} * classes;
    runs.push_back(std::move(run));
  }
}

}  // namespace cane::cli::paper
