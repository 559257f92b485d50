#include "train/device/learner_tables.h"

#include "core/base/buffer.h"

namespace cane {
namespace {

std::uint32_t classes_of(const ModelData& model) {
  return static_cast<std::uint32_t>(model.vocabulary.labels.size());
}

RowMajor rows_of(const ModelData& model, const LearnerTable& table) {
  return {model.tables[table.index].layout, classes_of(model), table.tree};
}

// Of a table, with rows of classes or nodes. The sums of each weight, where the optimiser keeps one
// for a block, are kept in addition, so that a training goes on exactly where it was.
void upload_sums(device::Learner& learner, const ModelData& model, const LearnerTable& table,
                 const TrainState& state) {
  const auto sums = state.optimizers[table.index]->state();
  if (sums.empty()) return;
  if (table.embedding > 0) {
    learner.upload_state(table.table, sums);
    return;
  }
  if (state.has_fine_sums(table.index)) {
    learner.upload_state(table.table, state.fine_sums[table.index]);
    return;
  }
  const RowMajor rows = rows_of(model, table);
  std::vector<float> values(rows.size());
  rows.sums_to_rows(sums.data(), values.data());
  learner.upload_state(table.table, values);
}

void download_sums(device::Learner& learner, const ModelData& model, const LearnerTable& table,
                   TrainState& state) {
  const auto sums = state.optimizers[table.index]->state();
  if (sums.empty()) return;
  if (table.embedding > 0) {
    learner.download_state(table.table, sums);
    return;
  }
  const RowMajor rows = rows_of(model, table);
  std::vector<float> values(rows.size());
  learner.download_state(table.table, values);
  rows.sums_to_blocks(values.data(), sums.data());
  state.fine_sums.resize(model.tables.size());
  if (!rows.keeps_sums()) state.fine_sums[table.index] = std::move(values);
}

}  // namespace

std::size_t size_of(const ModelData& model, const LearnerTable& table) {
  if (table.embedding == 0) return rows_of(model, table).size();
  return (std::size_t{model.tables[table.index].layout.dimension()} + 1) * table.embedding;
}

std::vector<LearnerTable> learner_tables(const ModelData& model) {
  const TrainConfig& config = model.config;
  std::vector<LearnerTable> tables;
  tables.push_back({.index = kClassTable,
                    .table = device::Table::kClasses,
                    .tree = has_path_scorer(config) ? &model.tree : nullptr});
  if (has_projection(config)) {
    tables.push_back(
        {.index = kProjectionTable, .table = device::Table::kProjection, .embedding = config.rank});
  }
  if (uses_proposal(config)) {
    tables.push_back({.index = proposal_table(config),
                      .table = device::Table::kProposal,
                      .tree = proposes_by_tree(config) ? &model.tree : nullptr});
  }
  if (has_encoder(config)) {
    tables.push_back({.index = model.tables.size() - 1,
                      .table = device::Table::kEncoder,
                      .embedding = config.dim});
  }
  return tables;
}

void upload_state(device::Learner& learner, const ModelData& model, const TrainState& state,
                  ThreadPool& pool) {
  for (const LearnerTable& table : learner_tables(model)) {
    const BlockLayout& layout = model.tables[table.index].layout;
    const float* const weights = state.weights[table.index].data();
    Buffer<float> values(size_of(model, table));
    if (table.embedding > 0) {
      embeddings_to_rows(layout, table.embedding, weights, values.data());
    } else {
      rows_of(model, table).weights_to_rows(weights, values.data(), pool);
    }
    learner.upload(table.table, values.span());
    upload_sums(learner, model, table, state);
  }
}

void download_state(device::Learner& learner, const ModelData& model, TrainState& state,
                    ThreadPool& pool) {
  for (const LearnerTable& table : learner_tables(model)) {
    const BlockLayout& layout = model.tables[table.index].layout;
    float* const weights = state.weights[table.index].data();
    Buffer<float> values(size_of(model, table));
    learner.download(table.table, values.span());
    if (table.embedding > 0) {
      embeddings_to_block(layout, table.embedding, values.data(), weights);
    } else {
      rows_of(model, table).weights_to_blocks(values.data(), weights, pool);
    }
    download_sums(learner, model, table, state);
  }
}

}  // namespace cane
