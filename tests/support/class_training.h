// A training whose classes are shared out, over small data, assembled without files, as one rank
// sees it.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "support/training.h"
#include "train/checkpoint/split_tensors.h"
#include "train/classes/class_executor.h"
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
        encoder(make_encoder(model.config, tables.tables, views_of(state.weights))) {
    if (model.config.lr == 0.0F) model.config.lr = 0.1F;
    trainer =
        std::make_unique<Trainer>(model, view, nullptr, state, pool,
                                  std::make_unique<ClassExecutor>(parts(), state, pool, ranks));
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
  ClassParts parts() const {
    return {.data = &view,
            .tables = &tables,
            .encoder = encoder.get(),
            .rules = rules(),
            .l2 = model.config.l2};
  }

  void start() { start_shards(view, model, tables, pool, ranks, state); }
  void run_all() {
    while (state.loop.epoch < model.config.epochs) {
      trainer->run_epoch([] { return true; });
      last_loss = state.totals.loss / state.totals.weight;
      ++state.loop.epoch;
      state.next_batch = 0;
      state.totals = {};
    }
  }

  /// The tables of the whole model, on every rank.
  WeightTables whole() {
    WeightTables whole;
    for (const SplitTensor& tensor : split_weights(model.tables, tables, state.weights)) {
      AlignedBuffer<float>& to = whole.emplace_back(tensor.size);
      std::ranges::copy(tensor.common, to.data());
      tensor.for_each_stretch(tables.shards, [&](std::span<const float> values, std::size_t at) {
        std::ranges::copy(values, to.data() + at);
      });
    }
    // A class is zero but on its owner. As integers, for the sum of 0 and -0 has other bits than
    // -0.
    for (const std::size_t table : {kClassTable, proposal_table(model.config)}) {
      std::vector<std::uint32_t> bits(whole[table].size());
      std::memcpy(bits.data(), whole[table].data(), bits.size() * sizeof(float));
      ranks.sum(std::span(bits));
      std::memcpy(whole[table].data(), bits.data(), bits.size() * sizeof(float));
    }
    return whole;
  }

  Communicator& ranks;
  DatasetView view;
  ModelData model;
  ShardTables tables;
  TrainState state;
  ThreadPool pool;
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<Trainer> trainer;
  double last_loss = 0.0;
};

}  // namespace cane::testing
