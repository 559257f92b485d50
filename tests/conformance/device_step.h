// The step over lists that a batch shares, on any learner of a device against the team of threads
// of the processor (step/step_team.h): the same lists from the same draws must lead to the same
// weights, up to rounding. The cases are few classes and features, on sizes that fill no warp, tile
// or pitch.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "device/learner.h"
#include "engine/parts.h"
#include "support/training.h"
#include "train/device/device_executor.h"
#include "train/device/learner_spec.h"

namespace cane::testing {

using MakeLearner = std::function<std::unique_ptr<device::Learner>(const device::LearnerSpec&)>;

/// What a batch lists; without a selector all classes.
struct ListKind {
  const char* name;
  SelectorKind select = SelectorKind::kAuto;
  std::uint32_t slots = 0;
};

enum class Input { kDense, kSparse, kBag, kDenseBag };

struct StepShape {
  std::uint32_t classes;
  FeatureId dimension;
  std::uint32_t batch;
};

using StepCase = std::tuple<ListKind, Input, OptimizerKind, StepShape>;

inline auto step_cases() {
  return ::testing::Combine(
      ::testing::Values(ListKind{"softmax"}, ListKind{"few_slots", SelectorKind::kNone, 3},
                        ListKind{"none", SelectorKind::kNone, 90},
                        ListKind{"frequent", SelectorKind::kFrequent, 40},
                        ListKind{"batch", SelectorKind::kBatch, 40}),
      ::testing::Values(Input::kDense, Input::kSparse, Input::kBag, Input::kDenseBag),
      ::testing::Values(OptimizerKind::kSgd, OptimizerKind::kAdagrad),
      ::testing::Values(StepShape{7, 3, 1}, StepShape{150, 33, 13}, StepShape{1000, 47, 70}));
}

struct StepCaseName {
  template <typename Info>
  std::string operator()(const Info& info) const {
    const auto& [list, input, optimizer, shape] = info.param;
    const char* const inputs[] = {"dense", "sparse", "bag", "densebag"};
    return std::string(list.name) + "_" + inputs[static_cast<int>(input)] +
           (optimizer == OptimizerKind::kSgd ? "_sgd_" : "_adagrad_") +
           std::to_string(shape.classes);
  }
};

/// A model with weights and sums all of which differ, and the rows that it learns.
class StepTraining {
 public:
  explicit StepTraining(const StepCase& tested)
      : data_(data_of(tested)),
        view_(data_.view()),
        model_(small_model(view_, config_of(tested), std::get<StepShape>(tested).classes)),
        pool_(2) {}

  struct Learned {
    std::vector<float> numbers;  // of all tables: weights, then sums
    StepStats totals;
  };

  Learned on_team() {
    TrainState state = filled_state();
    const ListMaker::Rules rules = make_list_rules(model_);
    const SlotLaw law = make_slot_law(model_, rules);
    const auto encoder = make_encoder(model_.config, model_.tables, views_of(state.weights));
    const auto learned = [&](std::size_t table) -> LearnedTable {
      return {&model_.tables[table].layout, state.weights[table].data(),
              state.optimizers[table].get(), &state.rate_scales[table]};
    };
    TrainingParts parts;
    parts.tables = &model_.tables;
    parts.team = TeamParts{.data = &view_,
                           .encoder = {},
                           .classes = learned(kClassTable),
                           .layers = {},
                           .learns_encoder_bias = false,
                           .law = &law,
                           .list = rules,
                           .clip = model_.config.clip,
                           .l2 = model_.config.l2,
                           .seed = model_.config.seed};
    if (encoder != nullptr) {
      parts.team->encoder = {.encoder = encoder.get(),
                             .first_table = 1,
                             .seed = model_.config.seed,
                             .least_step = 0.0F,
                             .classes = {parts.team->classes.layout, parts.team->classes.weights},
                             .proposal = {}};
      parts.team->layers = {learned(1)};
    }
    const RunContext context(pool_);
    return run(state, make_team(parts, model_.config, context.ranks(), nullptr));
  }

  Learned on_device(const MakeLearner& make, bool keeps_data) {
    TrainState state = filled_state();
    const ListMaker::Rules rules = make_list_rules(model_);
    auto lists = std::make_unique<ListFeed>(make_slot_law(model_, rules), rules,
                                            static_cast<std::uint32_t>(model_.class_counts.size()),
                                            model_.config.seed);
    device::LearnerSpec spec =
        learner_spec(model_, view_, lists->most_columns(model_.config.batch));
    if (keeps_data) spec = keeping(spec, view_);
    spec = with_rates(spec, model_, state);
    return run(state, std::make_unique<DeviceExecutor>(
                          model_, view_,
                          DeviceExecutor::Parts{spec, make(spec), std::move(lists), "device cuda"},
                          state, pool_));
  }

 private:
  static SmallData data_of(const StepCase& tested) {
    const auto& [list, input, optimizer, shape] = tested;
    SmallDataOptions options;
    options.classes = shape.classes;
    options.examples = 190;
    options.dimension = shape.dimension;
    options.sparse = input == Input::kSparse || input == Input::kBag;
    SmallData data(options);
    std::vector<float> weights(options.examples, 1.0F);
    weights[3] = 0.0F;
    weights[4] = 2.5F;
    data.set_weights(weights);
    return data;
  }

  static TrainConfig config_of(const StepCase& tested) {
    const auto& [list, input, optimizer, shape] = tested;
    TrainConfig config;
    config.method = list.select == SelectorKind::kAuto ? Method::kSoftmax : Method::kCane;
    config.select = list.select;
    config.noises = list.slots;
    if (list.select == SelectorKind::kFrequent) config.candidates = shape.classes / 4;
    config.optimizer = optimizer;
    if (input == Input::kBag || input == Input::kDenseBag) {
      config.encoder = EncoderKind::kBag;
      config.dim = 11;
    }
    config.lr = 0.05F;
    config.l2 = 0.01F;
    config.clip = 2.0F;
    config.batch = shape.batch;
    config.epochs = 2;
    return config;
  }

  TrainState filled_state() {
    TrainState state = small_state(model_);
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (std::uint32_t table = 0; table < state.weights.size(); ++table) {
      const BlockLayout& layout = model_.tables[table].layout;
      const std::uint32_t columns = table == kClassTable ? 1 : model_.config.dim;
      for (NodeId block = 0; block < layout.node_bound(); ++block) {
        const std::uint32_t stride = layout.shape(block).stride;
        for (std::uint32_t row = 0; row <= layout.dimension(); ++row) {
          for (std::uint32_t c = 0; c < columns; ++c) {
            const std::size_t place = layout.offset(block) + row * stride + c;
            state.weights[table].data()[place] =
                static_cast<float>(0.3 * random.normal(place, table));
          }
        }
      }
      // Not near zero, where a step would have the same length for any gradient.
      for (float& sum : state.optimizers[table]->state()) sum = 0.5F;
      state.rate_scales[table] = table == kClassTable ? 0.5F : 2.0F;
    }
    return state;
  }

  Learned run(TrainState& state, std::unique_ptr<Executor> executor) {
    Trainer trainer(model_, view_, nullptr, state, pool_, std::move(executor));
    Learned learned;
    for (; state.loop.epoch < model_.config.epochs; ++state.loop.epoch) {
      state.next_batch = 0;
      state.totals = {};
      trainer.run_epoch([] { return true; });
      learned.totals.add(state.totals);
    }
    trainer.fetch_weights();
    for (std::size_t table = 0; table < state.weights.size(); ++table) {
      for (const std::span<float> numbers :
           {state.weights[table].span(), state.optimizers[table]->state()}) {
        learned.numbers.insert(learned.numbers.end(), numbers.begin(), numbers.end());
      }
    }
    return learned;
  }

  SmallData data_;
  DatasetView view_;
  ModelData model_;
  ThreadPool pool_;
};

inline void expect_conformance(const StepCase& tested, const MakeLearner& make) {
  StepTraining training(tested);
  const StepTraining::Learned expected = training.on_team();
  const StepTraining::Learned kept = training.on_device(make, true);
  ASSERT_EQ(kept.numbers.size(), expected.numbers.size());
  for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
    ASSERT_NEAR(kept.numbers[i], expected.numbers[i],
                1e-3F * (1.0F + std::abs(expected.numbers[i])))
        << i;
  }
  EXPECT_EQ(kept.totals.examples, expected.totals.examples);
  EXPECT_EQ(kept.totals.weight, expected.totals.weight);
  EXPECT_EQ(kept.totals.covered, expected.totals.covered);
  EXPECT_EQ(kept.totals.rows_scored, expected.totals.rows_scored);
  EXPECT_NEAR(kept.totals.loss, expected.totals.loss, 1e-4 * (1.0 + expected.totals.loss));
  // Once more, and with rows that are streamed: the same bits.
  EXPECT_EQ(training.on_device(make, true).numbers, kept.numbers);
  EXPECT_EQ(training.on_device(make, false).numbers, kept.numbers);
}

}  // namespace cane::testing
