#include "methods/resolve_online_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "cane/error.h"
#include "methods/config_facts.h"
#include "methods/names_where.h"

namespace cane {
namespace {

// Inner nodes of a LOMTree per class; the paper tries 1, 4, 16 and 64.
constexpr std::uint32_t kNodesPerClass = 16;
// Candidates of a Recall Tree per level of a balanced tree, as in Vowpal Wabbit.
constexpr std::uint32_t kCandidatesPerLevel = 4;
// Training can be stopped after every batch of this many examples; updates are not batched.
constexpr std::uint32_t kOnlineBatch = 64;

void resolve_grown_tree(const DataFacts& facts, Resolved& resolved) {
  if (resolved.config.nodes > 0) return;
  const std::uint64_t wanted = std::uint64_t{kNodesPerClass} * facts.classes;
  resolved.config.nodes =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 2, kMaxNodes) - 1);
  resolved.reasons.push_back(
      fmt::format("{} nodes for {} classes", resolved.config.nodes, facts.classes));
}

// A full tree, as deep as a balanced one of the classes.
void resolve_node_candidates(const DataFacts& facts, Resolved& resolved) {
  TrainConfig& config = resolved.config;
  const auto levels = static_cast<std::uint32_t>(std::bit_width(facts.classes - 1));
  if (config.candidates == 0) {
    config.candidates = kCandidatesPerLevel * std::max<std::uint32_t>(levels, 1);
  }
  config.candidates = std::min(config.candidates, facts.classes);
  if (config.nodes > 0) {
    config.nodes = std::bit_floor(config.nodes + 1) - 1;
  } else if (config.candidates < facts.classes) {
    config.nodes = std::min(std::bit_ceil(facts.classes), kMaxNodes) - 1;
  } else {
    resolved.reasons.push_back(
        fmt::format("no routers: all {} classes are candidates", facts.classes));
  }
}

}  // namespace

void refuse_options_of_other_trees(const TrainConfig& asked) {
  const TrainConfig defaults;
  const auto refuse = [&](bool given, const char* option, bool MethodRow::*has) {
    if (!given || row_of(asked.method).*has) return;
    const std::string owners =
        names_where(kMethods, [&](const MethodRow& row) { return row.*has; });
    throw OptionError(option, fmt::format("only {} can have it", owners), "leave it out");
  };
  refuse(asked.nodes != defaults.nodes, "nodes", &MethodRow::learns_routing);
  refuse(asked.swap_resistance != defaults.swap_resistance, "swap_resistance",
         &MethodRow::grows_nodes);
}

void resolve_online_tree(const DataFacts& facts, Resolved& resolved) {
  TrainConfig& config = resolved.config;
  const MethodRow& method = row_of(config.method);
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (!given) return;
    throw OptionError(option, fmt::format("{} {}", method.name, why), "leave it out");
  };
  refuse(config.select != SelectorKind::kAuto, "select", "selects no candidates");
  refuse(config.candidates > 0 && !method.has_node_candidates, "candidates", "has no candidates");
  refuse(config.scorer == ScorerKind::kPath, "scorer", "sums nothing along paths");
  refuse(config.noise != NoiseKind::kAuto, "noise", "draws no noises");
  refuse(config.noises > 0, "noises", "draws no noises");
  refuse(config.reuse > 1, "reuse", "searches no candidates");
  refuse(config.l2 > 0.0F, "l2", "adapts its steps, and has no decay");
  refuse(config.clip > 0.0F, "clip", "adapts its steps, and clips nothing");
  refuse(config.optimizer != OptimizerKind::kAuto && !row_of(config.optimizer).is_adaptive,
         "optimizer", "learns by adaptive steps only");
  refuse(config.tree != TrainConfig().tree && method.learns_routing, "tree", "learns its tree");
  config.scorer = ScorerKind::kFlat;
  config.start = StartKind::kZero;
  config.optimizer = OptimizerKind::kAdagrad;
  config.reuse = 1;
  if (config.batch == 0) config.batch = kOnlineBatch;
  if (method.needs_binary_tree) config.arity = 2;
  if (method.grows_nodes) resolve_grown_tree(facts, resolved);
  if (method.has_node_candidates) resolve_node_candidates(facts, resolved);
  const std::uint32_t width = method.has_node_candidates ? config.candidates : 1;
  refuse(config.beam > 0 && config.beam != width, "beam", "goes one way only");
  config.beam = width;
}

}  // namespace cane
