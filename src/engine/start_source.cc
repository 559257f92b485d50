#include "engine/start_source.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "core/base/stopwatch.h"
#include "data/loaded_data.h"
#include "methods/config_facts.h"
#include "train/clusters/build_tree.h"

namespace cane {

std::vector<std::uint64_t> count_examples(const Dataset& data) {
  const DatasetView& view = data.data().view;
  std::vector<std::uint64_t> counts(data.data().vocabulary.labels.size(), 0);
  for (std::size_t example = 0; example < view.size(); ++example) {
    if (view.label(example) == kUnknownClass) {
      throw Error(
          fmt::format("example {} of the training data has no label that is known; read the data "
                      "with Dataset::load(path), and with require_labels",
                      example + 1));
    }
    ++counts[view.label(example)];
  }
  return counts;
}

StartSource::StartSource(const Dataset& data, std::uint64_t seed)
    : data_(data),
      seed_(seed),
      class_counts_(count_examples(data)),
      means_(data_.data().view, static_cast<std::uint32_t>(data.classes()), seed) {}

const StartSource::BuiltTree& StartSource::tree(const TrainConfig& config, ThreadPool& pool) {
  const std::lock_guard lock(mutex_);
  const std::pair key(config.tree, config.arity);
  if (const auto place = trees_.find(key); place != trees_.end()) return place->second;
  const Stopwatch stopwatch;
  const LoadedData& loaded = data_.data();
  BuiltTree built = {
      build_tree(config.tree, loaded.view, loaded.vocabulary.labels, config.arity, seed_, pool)};
  built.seconds = stopwatch.seconds();
  return trees_.emplace(key, std::move(built)).first->second;
}

void StartSource::prepare(const TrainConfig& config, ThreadPool& pool) {
  if (uses_tree(config)) tree(config, pool);
  if (is_online_tree(config) || has_encoder(config)) return;
  if (has_projection(config)) means_.directions(config.rank, pool);
  if (config.start == StartKind::kMeans || uses_proposal(config)) means_.centres(pool);
}

}  // namespace cane
