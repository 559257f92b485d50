#include "linear/weights/parameter_table.h"

#include <fmt/format.h>

namespace cane {
namespace {

// A narrow proposal scores all classes for a whole batch, so fewer, wider blocks are better.
constexpr std::uint32_t kNarrowPanelClasses = 64;

std::uint32_t router_count(const TrainConfig& config, std::uint32_t classes) {
  return keeps_state(config) ? config.nodes : classes - 1;
}

std::vector<ParameterTable> online_tables(const TrainConfig& config, std::uint32_t classes,
                                          FeatureId dimension) {
  const auto rows = [&](std::uint32_t count) {
    return BlockLayout::flat(count, kRowWidth, encoded_dimension(config, dimension));
  };
  std::vector<ParameterTable> tables;
  const bool has_classes = row_of(config.method).has_node_candidates;
  if (has_classes) tables.push_back({"weights", rows(classes)});
  tables.push_back({has_classes ? "routers" : "weights", rows(router_count(config, classes))});
  if (scales_features(config)) tables.push_back({"feature_scales", rows(1), TableRole::kFactors});
  return tables;
}

std::vector<ParameterTable> batched_tables(const TrainConfig& config, const ClassTree& tree,
                                           std::uint32_t classes, FeatureId dimension,
                                           std::uint32_t flat_width) {
  std::vector<ParameterTable> tables;
  const FeatureId encoded = encoded_dimension(config, dimension);
  tables.push_back({"weights", has_path_scorer(config)
                                   ? BlockLayout(tree, encoded)
                                   : BlockLayout::flat(classes, flat_width, encoded)});
  if (has_projection(config)) {
    tables.push_back({"proposal.projection",
                      BlockLayout::flat(config.rank, block_stride(config.rank), encoded),
                      TableRole::kEmbeddings});
  }
  if (uses_proposal(config)) {
    const FeatureId inputs = has_projection(config) ? config.rank : encoded;
    tables.push_back({"proposal.weights",
                      proposes_by_tree(config)
                          ? BlockLayout(tree, inputs)
                          : BlockLayout::flat(classes, kNarrowPanelClasses, inputs),
                      TableRole::kProposal});
  }
  if (indexes_tree(config)) {
    tables.push_back(
        {"index.levels", BlockLayout::flat(2, kRowWidth, kTableLevels), TableRole::kFactors});
  }
  return tables;
}

}  // namespace

std::uint32_t flat_width(const TrainConfig& config, double density) {
  return has_dense_rows(config, density) ? kRowWidth : kPanelWidth;
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
