#include "train/device/learner_spec.h"

#include "methods/config_facts.h"
#include "train/device/row_feed.h"

namespace cane {
namespace {

bool is_adaptive(const ModelData& model, std::size_t table) {
  return row_of(optimizer_of(table, model.tables, model.config)).is_adaptive;
}

}  // namespace

std::size_t index_of(const ModelData& model, device::Table table) {
  return table == device::Table::kClasses ? kClassTable : model.tables.size() - 1;
}

device::LearnerSpec learner_spec(const ModelData& model, const DatasetView& data,
                                 std::uint32_t columns) {
  const TrainConfig& config = model.config;
  device::LearnerSpec spec = {.dimension = data.dimension(),
                              .is_sparse = !data.is_dense() || has_encoder(config),
                              .columns = columns,
                              .l2 = config.l2,
                              .clip = config.clip,
                              .batch = config.batch};
  const BlockLayout& classes = model.tables[kClassTable].layout;
  spec.classes = {
      .rows = classes.node_bound(), .columns = classes.dimension() + 1, .pitch = classes.pitch()};
  if (is_adaptive(model, kClassTable)) {
    spec.classes.sums = spec.classes.rows * spec.classes.columns;
  }
  if (has_encoder(config)) {
    const std::size_t table = index_of(model, device::Table::kEncoder);
    spec.encoder = {.rows = std::uint64_t{data.dimension()} + 1,
                    .columns = config.dim,
                    .pitch = model.tables[table].layout.shape(0).stride};
    if (is_adaptive(model, table)) spec.encoder.sums = spec.encoder.rows;
  }
  if (spec.is_sparse) spec.batch_values = most_values(data, config.batch);
  return spec;
}

device::LearnerSpec keeping(device::LearnerSpec spec, const DatasetView& data) {
  spec.kept_examples = data.size();
  if (spec.is_sparse) spec.kept_values = data.stored_values();
  return spec;
}

device::LearnerSpec with_rates(device::LearnerSpec spec, const ModelData& model,
                               const TrainState& state) {
  spec.classes.rate_scale = state.rate_scales[index_of(model, device::Table::kClasses)];
  spec.encoder.rate_scale = state.rate_scales[index_of(model, device::Table::kEncoder)];
  return spec;
}

}  // namespace cane
