// A training whose classes are shared out, over small data, assembled without files, as one rank
// sees it.
#pragma once

#include <memory>
#include <vector>

#include "support/training.h"
#include "train/classes/class_trainer.h"
#include "train/classes/shard_stretches.h"
#include "train/classes/sharded_start.h"

namespace cane::testing {

struct ClassTraining {
  template <typename Data>
  ClassTraining(const Data& data, TrainConfig asked, std::uint32_t classes, Communicator& all,
                std::uint32_t shards = 8)
      : ranks(all),
        view(data.view()),
        model(small_model(view, with_selector(asked), classes)),
        tables(model.tables, model.config, ClassShards(classes, shards),
               shards_of_rank(shards, all.rank(), all.ranks())),
        state(make_sharded_state(tables, model.config)),
        pool(model.config.threads),
        encoder(make_encoder(model.config, tables.common.tables, views_of(state.common.weights))) {
    if (model.config.lr == 0.0F) model.config.lr = 0.1F;
    trainer = std::make_unique<ClassTrainer>(view, parts(), model.config, 10.0, nullptr, state,
                                             pool, ranks);
  }

  static TrainConfig with_selector(TrainConfig config) {
    config.method = Method::kCane;
    config.select = SelectorKind::kNarrow;
    config.reuse = 1;
    return config;
  }
  SearchRules rules() const {
    const TrainConfig& config = model.config;
    return {.merge = {.method = config.method,
                      .candidates = config.candidates,
                      .noises = config.noises,
                      .clip = config.clip,
                      .least_step = has_encoder(config) ? 0.2F : 0.0F,
                      .seed = config.seed},
            .width = config.beam,
            .rank = config.rank};
  }
  ClassStepParts parts() const {
    return {.data = &view,
            .tables = &tables,
            .encoder = encoder.get(),
            .rules = rules(),
            .l2 = model.config.l2};
  }

  void start() { start_shards(view, model, tables, pool, ranks, state); }
  void run_all() {
    TrainState& common = state.common;
    while (common.loop.epoch < model.config.epochs) {
      trainer->run_epoch([] { return true; });
      last_loss = common.totals.loss / common.totals.weight;
      ++common.loop.epoch;
      common.next_batch = 0;
      common.totals = {};
    }
  }

  /// The tables of the whole model, on every rank.
  WeightTables whole() {
    WeightTables whole;
    for (const ParameterTable& table : model.tables) whole.emplace_back(table.layout.size());
    for (std::size_t i = 0; i < tables.common.whole.size(); ++i) {
      std::ranges::copy(state.common.weights[i].span(), whole[tables.common.whole[i]].data());
    }
    const OwnShards own = tables.own;
    for (std::uint32_t shard = 0; shard < own.count(); ++shard) {
      const TablePart& part = tables.of_shards[shard];
      for (std::size_t i = 0; i < part.tables.size(); ++i) {
        const BlockLayout& layout = part.tables[i].layout;
        for_each_stretch(tables.shards, own.begin + shard, layout, layout.pitch(),
                         [&](std::size_t from, std::size_t to, std::size_t count) {
                           std::copy_n(state.shards[shard].weights[i].data() + from, count,
                                       whole[part.whole[i]].data() + to);
                         });
      }
    }
    // A class is zero but on its owner.
    for (const std::size_t table : {kClassTable, proposal_table(model.config)}) {
      ranks.sum(whole[table].span());
    }
    return whole;
  }

  Communicator& ranks;
  DatasetView view;
  ModelData model;
  ShardTables tables;
  ShardedState state;
  ThreadPool pool;
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<ClassTrainer> trainer;
  double last_loss = 0.0;
};

}  // namespace cane::testing
