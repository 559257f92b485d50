#include "linear/weights/parameter_table.h"

#include <fmt/format.h>

namespace cane {
namespace {

// From here on, rows that are spread out beat gathered weights.
constexpr double kDenseFrom = 0.1;
// All classes of a narrow proposal are scored for a whole batch: fewer, wider blocks.
constexpr std::uint32_t kNarrowPanelClasses = 64;

std::uint32_t router_count(const TrainConfig& config, std::uint32_t classes) {
  if (config.method == Method::kLomTree) return config.nodes;
  if (config.method == Method::kRecallTree) return (std::uint32_t{1} << config.max_depth) - 1;
  return classes - 1;
}

std::vector<ParameterTable> online_tables(const TrainConfig& config, std::uint32_t classes,
                                          FeatureId dimension) {
  const auto rows = [&](std::uint32_t count) {
    return BlockLayout::flat(count, kRowWidth, encoded_dimension(config, dimension));
  };
  std::vector<ParameterTable> tables;
  if (config.method == Method::kRecallTree) tables.push_back({"weights", rows(classes)});
  tables.push_back({config.method == Method::kRecallTree ? "routers" : "weights",
                    rows(router_count(config, classes))});
  if (scales_features(config)) tables.push_back({"feature_scales", rows(1), TableRole::kFactors});
  return tables;
}

std::vector<ParameterTable> batched_tables(const TrainConfig& config, const ClassTree& tree,
                                           std::uint32_t classes, FeatureId dimension,
                                           std::uint32_t flat_width) {
  std::vector<ParameterTable> tables;
  const FeatureId encoded = encoded_dimension(config, dimension);
  tables.push_back({"weights", config.scorer == ScorerKind::kPath
                                   ? BlockLayout(tree, encoded)
                                   : BlockLayout::flat(classes, flat_width, encoded)});
  if (uses_proposal(config)) {
    tables.push_back({"proposal.projection",
                      BlockLayout::flat(config.rank, block_stride(config.rank), encoded),
                      TableRole::kEmbeddings});
    tables.push_back({"proposal.weights",
                      config.select == SelectorKind::kTree
                          ? BlockLayout(tree, config.rank)
                          : BlockLayout::flat(classes, kNarrowPanelClasses, config.rank),
                      TableRole::kProposal});
  }
  return tables;
}

}  // namespace

bool uses_proposal(const TrainConfig& config) {
  return config.method == Method::kCane &&
         (config.select == SelectorKind::kNarrow || config.select == SelectorKind::kTree);
}

bool is_online_tree(const TrainConfig& config) {
  return config.method == Method::kFilterTree || uses_routing(config);
}

bool uses_routing(const TrainConfig& config) {
  return config.method == Method::kLomTree || config.method == Method::kRecallTree;
}

bool scales_features(const TrainConfig& config) {
  return is_online_tree(config) && config.encoder == EncoderKind::kIdentity;
}

bool uses_tree(const TrainConfig& config) {
  return config.scorer == ScorerKind::kPath || config.method == Method::kFilterTree ||
         (config.method == Method::kCane && config.select == SelectorKind::kTree);
}

std::size_t encoder_layers(const TrainConfig& config) {
  switch (config.encoder) {
    case EncoderKind::kBag:
      return 1;
    case EncoderKind::kMlp:
      return config.layers;
    case EncoderKind::kIdentity:
      break;
  }
  return 0;
}

FeatureId encoded_dimension(const TrainConfig& config, FeatureId dimension) {
  return config.encoder == EncoderKind::kIdentity ? dimension : config.dim;
}

std::uint32_t flat_width(const TrainConfig& config, double density) {
  const bool dense = config.encoder != EncoderKind::kIdentity || density >= kDenseFrom;
  return dense ? kRowWidth : kPanelWidth;
}

std::vector<ParameterTable> make_tables(const TrainConfig& config, const ClassTree& tree,
                                        std::uint32_t classes, FeatureId dimension,
                                        std::uint32_t flat_width) {
  std::vector<ParameterTable> tables =
      is_online_tree(config) ? online_tables(config, classes, dimension)
                             : batched_tables(config, tree, classes, dimension, flat_width);
  for (std::size_t layer = 0; layer < encoder_layers(config); ++layer) {
    tables.push_back({fmt::format("encoder.{}", layer),
                      BlockLayout::flat(config.dim, block_stride(config.dim),
                                        layer == 0 ? dimension : config.dim),
                      TableRole::kEmbeddings});
  }
  return tables;
}

std::size_t total_size(const std::vector<ParameterTable>& tables) {
  std::size_t size = 0;
  for (const ParameterTable& table : tables) size += table.layout.size();
  return size;
}

}  // namespace cane
