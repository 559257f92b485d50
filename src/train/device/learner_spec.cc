#include "train/device/learner_spec.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/noise/unigram_noise.h"
#include "train/device/learner_tables.h"

namespace cane {

std::uint64_t most_values(const DatasetView& data, std::size_t batch) {
  const DatasetView::Sparse& rows = data.sparse();
  std::vector<std::uint64_t> lengths(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint64_t row = data.stored_row(i);
    lengths[i] = rows.offsets[row + 1] - rows.offsets[row];
  }
  const auto end = lengths.begin() + static_cast<std::ptrdiff_t>(std::min(batch, lengths.size()));
  if (end != lengths.end()) std::nth_element(lengths.begin(), end, lengths.end(), std::greater());
  return std::accumulate(lengths.begin(), end, std::uint64_t{0});
}

SpecOfModel::SpecOfModel(const ModelData& model, const DatasetView& data)
    : model_(model), data_(data) {
  if (!data.is_dense()) batch_values_ = most_values(data, model.config.batch);
  if (uses_tree(model.config)) flatten_tree();
  if (row_of(model.config.noise).uses_power) {
    noise_masses_ = power_masses(model.class_counts, model.config.noise_power);
  }
}

void SpecOfModel::flatten_tree() {
  const ClassTree& tree = model_.tree;
  for (NodeId node = 0; node < tree.node_count(); ++node) {
    first_children_.push_back(tree.first_child(node));
    parents_.push_back(tree.parent(node));
    leaf_classes_.push_back(tree.leaf_class(node));
  }
  for (ClassId label = 0; label < tree.class_count(); ++label) {
    leaves_.push_back(tree.leaf_of(label));
  }
}

device::LearnerSpec SpecOfModel::spec(bool keeps_data) const {
  const TrainConfig& config = model_.config;
  device::LearnerSpec spec;
  spec.classes = static_cast<std::uint32_t>(model_.vocabulary.labels.size());
  spec.dimension = data_.dimension();
  spec.is_sparse = !data_.is_dense();
  spec.encoder_dim = has_encoder(config) ? config.dim : 0;
  spec.method = config.method;
  spec.select = config.select;
  spec.candidates = config.candidates;
  spec.beam = config.beam;
  spec.noises = config.noises;
  spec.rank = config.rank;
  spec.noise = config.noise;
  spec.noise_masses = noise_masses_.empty() ? nullptr : noise_masses_.data();
  if (!parents_.empty()) {
    spec.tree = {.nodes = model_.tree.node_count(),
                 .depth = model_.tree.depth(),
                 .arity = model_.tree.arity(),
                 .child_counts = model_.tree.child_counts().data(),
                 .first_children = first_children_.data(),
                 .parents = parents_.data(),
                 .leaf_classes = leaf_classes_.data(),
                 .leaves = leaves_.data()};
  }
  spec.l2 = config.l2;
  spec.clip = config.clip;
  for (const LearnerTable& table : learner_tables(model_)) {
    spec.tables[static_cast<std::size_t>(table.table)].optimizer =
        optimizer_of(table.index, model_.tables, config);
  }
  spec.seed = config.seed;
  spec.batch = config.batch;
  spec.batch_values = batch_values_;
  if (keeps_data) {
    spec.kept_examples = data_.size();
    if (spec.is_sparse) spec.kept_values = data_.stored_values();
  }
  return spec;
}

device::LearnerSpec SpecOfModel::spec(bool keeps_data, const TrainState& state) const {
  device::LearnerSpec result = spec(keeps_data);
  for (const LearnerTable& table : learner_tables(model_)) {
    result.tables[static_cast<std::size_t>(table.table)].rate_scale =
        state.rate_scales[table.index];
  }
  return result;
}

}  // namespace cane
