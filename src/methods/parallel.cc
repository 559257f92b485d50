#include "methods/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cane/error.h"
#include "cane/names.h"
#include "methods/config_facts.h"
#include "methods/device.h"
#include "methods/names_where.h"

namespace cane {
namespace {

[[noreturn]] void refuse_for_classes(const std::string& option, const std::string& value) {
  throw OptionError(
      "parallel", fmt::format("classes that are shared out do not train `{} {}`", option, value),
      fmt::format("use `select {}`, `method softmax`, or `parallel data`",
                  names_where(kSelectors, [](const auto& row) { return row.is_shared; })));
}

}  // namespace

TrainConfig options_for_classes(TrainConfig asked) {
  if (asked.method == Method::kAuto) asked.method = Method::kCane;
  const MethodRow& method = row_of(asked.method);
  if (!method.has_candidates && !method.trains_all_classes) {
    refuse_for_classes("method", method.name);
  }
  if (method.has_candidates && asked.select == SelectorKind::kAuto) {
    asked.select = SelectorKind::kNone;
  }
  if (method.has_candidates && !row_of(asked.select).is_shared) {
    refuse_for_classes("select", name_of(asked.select));
  }
  asked.whiten = WhitenKind::kOff;
  if (trains_on_device(asked)) refuse_for_classes("device", asked.device);
  return asked;
}

bool can_share_classes(const TrainConfig& asked, const DataFacts& facts) {
  try {
    resolve(options_for_classes(asked), facts);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void check_ranks_can_share(const TrainConfig& config) {
  if (trains_on_device(config)) {
    throw OptionError("device", "several ranks train on processors only",
                      "use `device cpu`, or start one process");
  }
  if (is_online_tree(config)) {
    throw OptionError(
        "method",
        fmt::format("{} changes its tree with every example, which ranks cannot share",
                    name_of(config.method)),
        "use another method, or start one process");
  }
  if (config.deterministic && config.reuse > 1) {
    throw OptionError("reuse", "what a rank remembers of an example, another one does not know",
                      "leave `reuse` or `deterministic` out, or start one process");
  }
}

bool steps_meet(const TrainConfig& config) {
  return has_encoder(config) || has_path_scorer(config) || row_of(config.method).is_hierarchical ||
         (uses_proposal(config) && (has_prior(config) || proposes_by_tree(config)));
}

std::uint32_t batch_of_ranks(const TrainConfig& asked, const DataFacts& facts, int ranks) {
  constexpr std::uint32_t kClassesPerExample = 16;
  constexpr std::uint32_t kLeast = 4;
  if (asked.batch != 0 || ranks == 1) return asked.batch;
  const TrainConfig config = resolve(asked, facts).config;
  if (shares_slices(config) || row_of(config.method).trains_all_classes) return asked.batch;
  const std::uint32_t most = facts.classes / kClassesPerExample / static_cast<std::uint32_t>(ranks);
  return std::min(config.batch, std::max(kLeast, most));
}

}  // namespace cane
