// A training whose classes are shared out, over small data, assembled without files, as one rank
// sees it.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "engine/make_trainer.h"
#include "methods/parallel.h"
#include "support/thread_ranks.h"
#include "support/training.h"
#include "train/checkpoint/split_tensors.h"
#include "train/classes/sharded_start.h"

namespace cane::testing {

struct ClassTraining {
  template <typename Data>
  ClassTraining(const Data& data, TrainConfig asked, std::uint32_t classes, Communicator& all,
                std::uint32_t shards = 8)
      : ranks(all),
        view(data.view()),
        model(small_model(view, options_for_classes(asked), classes)),
        tables(model.tables, ClassShards(classes, shards),
               shards_of_rank(shards, all.rank(), all.ranks())),
        state(make_train_state(tables.tables, model.config)),
        pool(model.config.threads),
        context(pool, {ranks_of(ranks)}),
        trainer(make_trainer(model, view, nullptr, state, context, &tables)) {}

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
    for (const SplitTensor& tensor : split_weights(tables, state.weights)) {
      AlignedBuffer<float>& to = whole.emplace_back(tensor.size);
      if (tensor.is_common()) {
        std::ranges::copy(tensor.here, to.data());
        continue;
      }
      tensor.for_each_stretch(tables.part, [&](std::span<const float> values, std::size_t at) {
        std::ranges::copy(values, to.data() + at);
      });
    }
    // A class is zero but on its owner. As integers, for the sum of 0 and -0 has other bits than
    // -0.
    std::vector<std::uint32_t> bits(whole[kClassTable].size());
    std::memcpy(bits.data(), whole[kClassTable].data(), bits.size() * sizeof(float));
    ranks.sum(std::span(bits));
    std::memcpy(whole[kClassTable].data(), bits.data(), bits.size() * sizeof(float));
    return whole;
  }

  Communicator& ranks;
  DatasetView view;
  ModelData model;
  ShardTables tables;
  TrainState state;
  ThreadPool pool;
  RunContext context;
  std::unique_ptr<Trainer> trainer;
  double last_loss = 0.0;
};

}  // namespace cane::testing
