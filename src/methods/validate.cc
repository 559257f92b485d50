#include "methods/validate.h"

#include <bit>

#include "methods/config_facts.h"

namespace cane {
namespace {

bool encoder_is_in_range(const TrainConfig& config) {
  return config.dim >= 1 && config.dim <= kMaxEncoderWidth && config.layers >= 1 &&
         config.layers <= kMaxEncoderLayers && config.dropout >= 0.0F && config.dropout < 1.0F;
}

bool node_candidates_are_in_range(const TrainConfig& config) {
  return config.candidates > 0 && config.nodes < kMaxNodes && std::has_single_bit(config.nodes + 1);
}

}  // namespace

const char* validation_error(const TrainConfig& config) {
  const MethodRow& method = row_of(config.method);
  if (has_encoder(config) && !encoder_is_in_range(config)) return "its encoder is out of range";
  if (config.method == Method::kAuto) return "its options leave the method open";
  if (method.has_candidates != (config.select != SelectorKind::kAuto)) {
    return "its selector does not fit its method";
  }
  if (!scorer_fits(config)) return "its scorer does not fit its method";
  if (method.is_online_tree) {
    if (method.grows_nodes && config.nodes == 0) return "its tree has no nodes";
    if (method.has_node_candidates && !node_candidates_are_in_range(config)) {
      return "its nodes or its candidates are out of range";
    }
    return config.beam == 0 ? "its options leave the beam open" : nullptr;
  }
  if (config.rank < 1 || config.rank > kMaxRank) return "its rank is out of range";
  if (config.beam == 0 || (method.has_candidates && config.candidates == 0)) {
    return "its options leave candidates or beam open";
  }
  return nullptr;
}

}  // namespace cane
