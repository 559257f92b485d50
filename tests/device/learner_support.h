// A learner on the host for a small training (support/training.h), and the way of the weights
// between the layouts of both.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "core/noise/unigram_noise.h"
#include "device/host/host_backend.h"
#include "support/training.h"

namespace cane::testing {

/// Where number (row, column) of a device's table is in a table of the model.
inline std::size_t place_of(const ModelData& model, std::size_t table, device::Table kind,
                            std::uint64_t row, std::uint64_t column) {
  const BlockLayout& layout = model.tables[table].layout;
  const auto at = [&](NodeId block, std::uint64_t feature, std::uint64_t child) {
    return layout.offset(block) + feature * layout.shape(block).stride + child;
  };
  if (kind == device::Table::kProjection || kind == device::Table::kEncoder) {
    return at(0, row, column);
  }
  const bool is_tree = kind == device::Table::kClasses ? has_path_scorer(model.config)
                                                       : proposes_by_tree(model.config);
  if (!is_tree) {
    const std::uint32_t width = layout.widest_stride();
    return at(static_cast<NodeId>(row / width), column, row % width);
  }
  const NodeId parent = model.tree.parent(static_cast<NodeId>(row));
  return at(parent, column, row - model.tree.first_child(parent));
}

/// A spec for a training, and the arrays that it points to.
struct SmallSpec {
  explicit SmallSpec(const Training& training, std::uint32_t batch = 0) : model(training.model) {
    const TrainConfig& config = model.config;
    spec.classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
    spec.dimension = training.view.dimension();
    spec.is_sparse = !training.view.is_dense();
    spec.encoder_dim = config.encoder == EncoderKind::kBag ? config.dim : 0;
    spec.method = config.method;
    spec.select = config.select;
    spec.candidates = std::min(config.candidates, spec.classes);
    spec.beam = std::min(config.beam, spec.classes);
    spec.noises = config.noises;
    spec.rank = config.rank;
    spec.noise = config.noise;
    masses = power_masses(model.class_counts, config.noise_power);
    spec.noise_masses = masses.data();
    spec.l2 = config.l2;
    spec.clip = config.clip;
    spec.seed = config.seed;
    spec.batch = batch > 0 ? batch : config.batch;
    spec.batch_values = std::uint64_t{spec.batch} * spec.dimension;
    const ClassTree& tree = model.tree;
    for (NodeId node = 0; node < tree.node_count(); ++node) {
      child_counts.push_back(tree.child_count(node));
      first_children.push_back(tree.first_child(node));
      parents.push_back(tree.parent(node));
      leaf_classes.push_back(tree.lowest_class(node));
    }
    for (ClassId k = 0; k < tree.class_count(); ++k) leaves.push_back(tree.leaf_of(k));
    spec.tree = {tree.node_count(),     tree.depth(),   tree.arity(),        child_counts.data(),
                 first_children.data(), parents.data(), leaf_classes.data(), leaves.data()};
    for (const device::Table table : tables()) {
      const std::size_t place = table_of(table);
      spec.tables[static_cast<std::size_t>(table)] = {optimizer_of(place, model.tables, config),
                                                      training.state.rate_scales[place]};
    }
  }
  SmallSpec(const SmallSpec&) = delete;

  /// The tables that there are.
  std::vector<device::Table> tables() const {
    std::vector<device::Table> all;
    for (const device::Table table : {device::Table::kClasses, device::Table::kProjection,
                                      device::Table::kProposal, device::Table::kEncoder}) {
      if (device::shape_of(spec, table).rows > 0) all.push_back(table);
    }
    return all;
  }
  /// The place of a device's table among those of the model.
  std::size_t table_of(device::Table table) const {
    switch (table) {
      case device::Table::kClasses:
        return kClassTable;
      case device::Table::kProjection:
        return kProjectionTable;
      case device::Table::kProposal:
        return proposal_table(model.config);
      case device::Table::kEncoder:
        break;
    }
    return model.tables.size() - 1;
  }

  template <typename Body>
  void for_each_number(device::Table table, const Body& body) const {
    const device::TableShape shape = device::shape_of(spec, table);
    const bool is_tree = shape.rows == spec.tree.nodes && spec.tree.nodes > 0 &&
                         (table == device::Table::kClasses || table == device::Table::kProposal);
    for (std::uint64_t row = is_tree ? 1 : 0; row < shape.rows; ++row) {
      for (std::uint64_t column = 0; column < shape.columns; ++column) {
        body(row * shape.columns + column, place_of(model, table_of(table), table, row, column));
      }
    }
  }
  std::vector<float> numbers(device::Table table, const TrainState& state) const {
    std::vector<float> values(device::shape_of(spec, table).size());
    for_each_number(table, [&](std::size_t to, std::size_t from) {
      values[to] = state.weights[table_of(table)].data()[from];
    });
    return values;
  }
  void upload(const TrainState& state, device::Learner& learner) const {
    for (const device::Table table : tables()) learner.upload(table, numbers(table, state));
  }
  void download(device::Learner& learner, TrainState& state) const {
    for (const device::Table table : tables()) {
      std::vector<float> values(device::shape_of(spec, table).size());
      learner.download(table, values);
      for_each_number(table, [&](std::size_t from, std::size_t to) {
        state.weights[table_of(table)].data()[to] = values[from];
      });
    }
  }

  const ModelData& model;
  device::LearnerSpec spec;
  std::vector<double> masses;
  std::vector<std::uint32_t> child_counts;
  std::vector<std::uint32_t> first_children;
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> leaf_classes;
  std::vector<std::uint32_t> leaves;
};

/// The examples of a view as arrays of the host.
struct PlainData {
  explicit PlainData(const DatasetView& view) {
    RowGather gather;
    offsets.push_back(0);
    for (std::uint32_t e = 0; e < view.size(); ++e) {
      const RowView row = gather.gather(view, std::span<const std::uint32_t>(&e, 1))[0];
      for (std::uint32_t p = 0; p < row.count; ++p) {
        indices.push_back(row.indices == nullptr ? p : row.indices[p]);
        values.push_back(row.values[p]);
      }
      offsets.push_back(values.size());
      labels.push_back(view.label(e));
      weights.push_back(view.weight(e));
    }
  }
  device::HostRows rows() const {
    return {values.data(), offsets.data(), indices.data(),
            values.data(), labels.data(),  weights.data()};
  }
  /// Fills a buffer of a learner with these examples.
  void fill(const device::LearnerSpec& spec, std::span<const std::uint32_t> examples,
            const device::BatchBuffer& buffer) const {
    std::uint64_t at = 0;
    if (spec.is_sparse) buffer.offsets[0] = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::uint32_t e = examples[i];
      for (std::uint64_t p = offsets[e]; p < offsets[e + 1]; ++p, ++at) {
        if (spec.is_sparse) buffer.indices[at] = indices[p];
        (spec.is_sparse ? buffer.values : buffer.dense)[at] = values[p];
      }
      if (spec.is_sparse) buffer.offsets[i + 1] = at;
      buffer.labels[i] = labels[e];
      buffer.weights[i] = weights[e];
      buffer.numbers[i] = e;
    }
  }

  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  std::vector<std::uint32_t> labels;
  std::vector<float> weights;
};

/// Learns all epochs of a training in the order of the CPU, and leaves the weights in its state.
inline device::LearnerStats learn_all(const SmallSpec& small, Training& training,
                                      device::Learner& learner) {
  small.upload(training.state, learner);
  const TrainConfig& config = training.config;
  Shuffle shuffle(training.view, {}, nullptr, config.batch);
  const std::size_t size = training.view.size();
  const std::size_t batches = (size + config.batch - 1) / config.batch;
  device::LearnerStats stats;
  for (std::uint32_t epoch = 0; epoch < config.epochs; ++epoch) {
    shuffle.start_epoch(config.seed, epoch);
    for (std::size_t batch = 0; batch < batches; ++batch) {
      const std::size_t begin = batch * config.batch;
      const double done = static_cast<double>(epoch * batches + batch) /
                          static_cast<double>(config.epochs * batches);
      const float rate = config.schedule == Schedule::kConstant
                             ? config.lr
                             : config.lr * static_cast<float>(1.0 - done);
      shuffle.enter_stretch(begin, training.pool);
      learner.step(
          shuffle.order().subspan(begin, std::min<std::size_t>(config.batch, size - begin)),
          {rate, epoch});
    }
    stats = learner.take_stats();
  }
  small.download(learner, training.state);
  return stats;
}

}  // namespace cane::testing
