#include "model/parameter_table.h"

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
    return BlockLayout::flat(count, kRowWidth, dimension);
  };
  std::vector<ParameterTable> tables;
  if (config.method == Method::kRecallTree) tables.push_back({"weights", rows(classes)});
  tables.push_back({config.method == Method::kRecallTree ? "routers" : "weights",
                    rows(router_count(config, classes))});
  tables.push_back({"feature_scales", rows(1)});
  return tables;
}

}  // namespace

bool uses_proposal(const TrainConfig& config) {
  return config.method == Method::kCane &&
         (config.select == Select::kNarrow || config.select == Select::kTree);
}

bool is_online_tree(const TrainConfig& config) {
  return config.method == Method::kFilterTree || uses_routing(config);
}

bool uses_routing(const TrainConfig& config) {
  return config.method == Method::kLomTree || config.method == Method::kRecallTree;
}

bool uses_tree(const TrainConfig& config) {
  return config.scorer == Scorer::kPath || config.method == Method::kFilterTree ||
         (config.method == Method::kCane && config.select == Select::kTree);
}

std::uint32_t flat_width(double density) {
  return density >= kDenseFrom ? kRowWidth : kPanelWidth;
}

std::vector<ParameterTable> make_tables(const TrainConfig& config, const ClassTree& tree,
                                        std::uint32_t classes, FeatureId dimension,
                                        std::uint32_t flat_width) {
  if (is_online_tree(config)) return online_tables(config, classes, dimension);
  std::vector<ParameterTable> tables;
  tables.push_back({"weights", config.scorer == Scorer::kPath
                                   ? BlockLayout(tree, dimension)
                                   : BlockLayout::flat(classes, flat_width, dimension)});
  if (uses_proposal(config)) {
    tables.push_back({"proposal.projection",
                      BlockLayout::flat(config.rank, block_stride(config.rank), dimension)});
    tables.push_back(
        {"proposal.weights", config.select == Select::kTree
                                 ? BlockLayout(tree, config.rank)
                                 : BlockLayout::flat(classes, kNarrowPanelClasses, config.rank)});
  }
  return tables;
}

std::size_t total_size(const std::vector<ParameterTable>& tables) {
  std::size_t size = 0;
  for (const ParameterTable& table : tables) size += table.layout.size();
  return size;
}

}  // namespace cane
