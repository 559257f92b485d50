#include "methods/config_facts.h"

#include "methods/device.h"

namespace cane {
FittingScorers fitting_scorers(const TrainConfig& config) {
  const MethodRow& method = row_of(config.method);
  return method.has_candidates ? row_of(config.select).scorers : method.scorers;
}

bool scorer_fits(const TrainConfig& config) {
  const FittingScorers fitting = fitting_scorers(config);
  switch (config.scorer) {
    case ScorerKind::kAuto:
      return false;
    case ScorerKind::kFlat:
      return fitting != FittingScorers::kPath;
    case ScorerKind::kPath:
      return fitting != FittingScorers::kFlat;
  }
  return false;
}

bool finds_candidates(const TrainConfig& config) {
  return row_of(config.method).has_candidates && !row_of(config.select).is_shared;
}

bool shares_lists(const TrainConfig& config) {
  return row_of(config.method).has_candidates && row_of(config.select).is_shared;
}

bool has_path_scorer(const TrainConfig& config) {
  return config.scorer == ScorerKind::kPath;
}

bool uses_tree(const TrainConfig& config) {
  return has_path_scorer(config) || row_of(config.method).needs_binary_tree ||
         proposes_by_tree(config) || indexes_tree(config);
}

bool indexes_tree(const TrainConfig& config) {
  return row_of(config.method).has_candidates && row_of(config.select).indexes_tree;
}

bool uses_proposal(const TrainConfig& config) {
  return row_of(config.method).has_candidates && row_of(config.select).has_proposal;
}

bool proposes_by_tree(const TrainConfig& config) {
  return uses_proposal(config) && row_of(config.select).proposes_by_tree;
}

bool has_prior(const TrainConfig& config) {
  return uses_proposal(config) && row_of(config.select).proposal_is_prior;
}

bool has_projection(const TrainConfig& config) {
  return uses_proposal(config) && !has_prior(config);
}

bool searches(const TrainConfig& config) {
  if (is_online_tree(config)) return false;
  return uses_proposal(config) || indexes_tree(config) ||
         (has_path_scorer(config) && !row_of(config.select).is_exhaustive);
}

bool is_online_tree(const TrainConfig& config) {
  return row_of(config.method).is_online_tree;
}

bool keeps_state(const TrainConfig& config) {
  return row_of(config.method).learns_routing;
}

bool scales_features(const TrainConfig& config) {
  return is_online_tree(config) && !has_encoder(config);
}

bool has_encoder(const TrainConfig& config) {
  return row_of(config.encoder).has_layers;
}

std::size_t encoder_layers(const TrainConfig& config) {
  const EncoderRow& encoder = row_of(config.encoder);
  if (!encoder.has_layers) return 0;
  return encoder.has_hidden_layers ? config.layers : 1;
}

FeatureId encoded_dimension(const TrainConfig& config, FeatureId dimension) {
  return has_encoder(config) ? config.dim : dimension;
}

bool has_dense_rows(const TrainConfig& config, double density) {
  return has_encoder(config) || shares_lists(config) || density >= kDenseFrom;
}

bool whitens(const TrainConfig& config, double density) {
  return config.whiten == WhitenKind::kAuto && density >= kDenseFrom && !has_encoder(config) &&
         (shares_lists(config) || row_of(config.method).trains_all_classes) &&
         !has_path_scorer(config) && !row_of(config.optimizer).is_adaptive &&
         !trains_on_device(config);
}

}  // namespace cane
