#include "model/validation_error.h"

#include <cmath>

#include "linear/weights/parameter_table.h"

namespace cane {

const char* validation_error(const TrainConfig& config) {
  const bool is_cane = config.method == Method::kCane;
  if (config.encoder != EncoderKind::kIdentity &&
      (config.dim < 1 || config.dim > kMaxWidthEncoder || config.layers < 1 ||
       config.layers > kMaxDepthEncoder || !(config.dropout >= 0.0F && config.dropout < 1.0F))) {
    return "its encoder is not one of ours";
  }
  if (config.method == Method::kAuto) return "its options leave the method open";
  if (is_cane != (config.select != SelectorKind::kAuto))
    return "its selector does not fit its method";
  const bool needs_path = config.method == Method::kHsm || config.select == SelectorKind::kBeam ||
                          config.select == SelectorKind::kFrequency;
  const bool may_be_path = needs_path || (is_cane && config.select != SelectorKind::kGraph);
  const bool scorer_fits = config.scorer == ScorerKind::kPath   ? may_be_path
                           : config.scorer == ScorerKind::kFlat ? !needs_path
                                                                : false;
  if (is_online_tree(config)) {
    if (config.scorer != ScorerKind::kFlat) return "its scorer does not fit its method";
    if (config.method == Method::kLomTree && config.nodes == 0) return "its tree has no nodes";
    if (config.method == Method::kRecallTree &&
        (config.max_depth > kMaxDepthRecallTree || config.max_candidates == 0 ||
         !(config.bernoulli >= 0.0F) || !std::isfinite(config.bernoulli))) {
      return "its depth or its candidates are not ours";
    }
    return config.beam == 0 ? "its options leave the beam open" : nullptr;
  }
  if (!scorer_fits) return "its scorer does not fit its method";
  if (config.rank < 1 || config.rank > 64) return "its rank is not one of ours";
  if (config.beam == 0 || (is_cane && config.candidates == 0)) {
    return "its options leave candidates or beam open";
  }
  return nullptr;
}

}  // namespace cane
