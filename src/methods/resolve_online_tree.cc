#include "methods/resolve_online_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cane/error.h"
#include "cane/names.h"
#include "methods/config_facts.h"

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

void resolve_node_candidates(const DataFacts& facts, Resolved& resolved) {
  TrainConfig& config = resolved.config;
  const auto levels = static_cast<std::uint32_t>(std::bit_width(facts.classes - 1));
  if (config.max_candidates == 0) {
    config.max_candidates = kCandidatesPerLevel * std::max<std::uint32_t>(levels, 1);
  }
  config.max_candidates = std::min(config.max_candidates, facts.classes);
  if (config.max_depth != TrainConfig::kAutoDepth) return;
  const bool scores_all = config.max_candidates == facts.classes;
  config.max_depth = scores_all ? 0 : std::min(levels, kMaxDepthRecallTree);
  if (scores_all) {
    resolved.reasons.push_back(
        fmt::format("no routers: all {} classes are candidates", facts.classes));
  }
}

}  // namespace

void refuse_options_of_other_trees(const TrainConfig& asked) {
  const TrainConfig defaults;
  const auto refuse = [&](bool given, const char* option, Method owner) {
    if (!given || asked.method == owner) return;
    throw OptionError(option, fmt::format("only {} has it", name_of(owner)),
                      fmt::format("leave it out, or use `method {}`", name_of(owner)));
  };
  refuse(asked.nodes != defaults.nodes, "nodes", Method::kLomTree);
  refuse(asked.swap_resistance != defaults.swap_resistance, "swap_resistance", Method::kLomTree);
  refuse(asked.max_candidates != defaults.max_candidates, "max_candidates", Method::kRecallTree);
  refuse(asked.max_depth != defaults.max_depth, "max_depth", Method::kRecallTree);
  refuse(asked.bernoulli != defaults.bernoulli, "bernoulli", Method::kRecallTree);
}

void resolve_online_tree(const DataFacts& facts, Resolved& resolved) {
  TrainConfig& config = resolved.config;
  const MethodRow& method = row_of(config.method);
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (!given) return;
    throw OptionError(option, fmt::format("{} {}", method.name, why), "leave it out");
  };
  refuse(config.select != SelectorKind::kAuto, "select", "selects no candidates");
  refuse(config.candidates > 0, "candidates", "has no candidates of a selector");
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
  const std::uint32_t width = method.has_node_candidates ? config.max_candidates : 1;
  refuse(config.beam > 0 && config.beam != width, "beam", "goes one way only");
  config.beam = width;
}

}  // namespace cane
