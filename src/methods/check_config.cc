#include "methods/check_config.h"

#include <bit>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "methods/config_facts.h"
#include "methods/device.h"

namespace cane {

void check_config(const TrainConfig& config) {
  check_fields(config);
  parse_device(config.device);
  if (config.l2 * config.lr >= 1.0F) {
    throw OptionError("l2", "it must be 0 or more, and below 1 / lr");
  }
  if (config.resume && config.checkpoint_path.empty()) {
    throw OptionError("resume", "there is no checkpoint");
  }
}

const char* validation_error(const TrainConfig& config) {
  const MethodRow& method = row_of(config.method);
  if (config.method == Method::kAuto) return "its options leave the method open";
  if (method.has_candidates != (config.select != SelectorKind::kAuto)) {
    return "its selector does not fit its method";
  }
  if (!scorer_fits(config)) return "its scorer does not fit its method";
  if (method.grows_nodes && config.nodes == 0) return "its tree has no nodes";
  if (method.has_node_candidates && !std::has_single_bit(config.nodes + 1)) {
    return "its nodes are not those of a full tree";
  }
  const bool has_candidates = finds_candidates(config) || method.has_node_candidates;
  if (config.rank == 0 || config.beam == 0 || (has_candidates && config.candidates == 0)) {
    return "its options leave rank, candidates or beam open";
  }
  return nullptr;
}

}  // namespace cane
