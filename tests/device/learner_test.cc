// What a learner of a device promises about data, batches, memory and specs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "device/learner_support.h"
#include "device/plain/law.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using device::Table;
using ::testing::HasSubstr;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

TrainConfig config_of(Method method) {
  TrainConfig config;
  config.method = method;
  config.batch = 8;
  config.lr = 0.1F;
  if (method == Method::kCane) {
    config.select = SelectorKind::kNarrow;
    config.scorer = ScorerKind::kFlat;
    config.candidates = 4;
    config.noises = 2;
    config.rank = 4;
  }
  return config;
}

SmallData data_of(bool is_sparse) {
  SmallDataOptions options;
  options.examples = 50;
  options.sparse = is_sparse;
  return SmallData(options);
}

std::vector<float> weights_of(const SmallSpec& small, device::Learner& learner) {
  std::vector<float> all;
  for (const Table table : small.tables()) {
    std::vector<float> values(device::shape_of(small.spec, table).size());
    learner.download(table, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

class DeviceData : public ::testing::TestWithParam<std::tuple<Method, bool, bool>> {
 protected:
  static TrainConfig config() {
    TrainConfig config = config_of(std::get<0>(GetParam()));
    if (std::get<2>(GetParam())) {
      config.encoder = EncoderKind::kBag;
      config.dim = 6;
    }
    return config;
  }
};

TEST_P(DeviceData, StreamedBatchesTeachTheSameAsKeptData) {
  const SmallData data = data_of(std::get<1>(GetParam()));
  Training run(data, config());
  run.start();
  const PlainData plain(run.view);
  SmallSpec small(run);
  const auto streaming = device::make_host_learner(small.spec);
  small.spec.kept_examples = run.view.size();
  small.spec.kept_values = plain.values.size();
  const auto keeping = device::make_host_learner(small.spec);
  keeping->keep_data(plain.rows());
  small.upload(run.state, *keeping);
  small.upload(run.state, *streaming);
  for (std::uint32_t step = 0; step < 9; ++step) {
    std::vector<std::uint32_t> examples;
    for (std::uint32_t i = 0; i < (step == 6 ? 3 : 8); ++i) {
      examples.push_back((7 * step + 11 * i) % 50);
    }
    keeping->step(examples, {0.1F, step / 4});
    plain.fill(small.spec, examples, streaming->next_buffer());
    streaming->step_buffer(static_cast<std::uint32_t>(examples.size()), {0.1F, step / 4});
  }
  EXPECT_EQ(weights_of(small, *keeping), weights_of(small, *streaming));
  const device::LearnerStats kept = keeping->take_stats();
  const device::LearnerStats streamed = streaming->take_stats();
  EXPECT_EQ(kept.examples, 67U);
  EXPECT_EQ(kept.examples, streamed.examples);
  EXPECT_EQ(kept.loss, streamed.loss);
  EXPECT_EQ(kept.weight, 67.0);
  EXPECT_EQ(kept.covered, streamed.covered);
  EXPECT_EQ(kept.rows_scored, streamed.rows_scored);
}

TEST_P(DeviceData, EmptyPlacesOfABatchTeachNothing) {
  const SmallData data = data_of(std::get<1>(GetParam()));
  Training run(data, config());
  run.start();
  const PlainData plain(run.view);
  const auto learn = [&](std::uint32_t batch) {
    SmallSpec small(run, batch);
    small.spec.kept_examples = run.view.size();
    small.spec.kept_values = plain.values.size();
    const auto learner = device::make_host_learner(small.spec);
    learner->keep_data(plain.rows());
    small.upload(run.state, *learner);
    // A full step first, so that the empty places have something left in them.
    std::vector<std::uint32_t> examples(5);
    std::iota(examples.begin(), examples.end(), 20U);
    learner->step(examples, {0.1F, 0});
    std::iota(examples.begin(), examples.end(), 1U);
    learner->step(std::span(examples).first(4), {0.1F, 0});
    return weights_of(small, *learner);
  };
  const auto exact = learn(5);
  const auto wide = learn(13);
  for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(exact[i], wide[i], 1e-6) << i;
}

INSTANTIATE_TEST_SUITE_P(Methods, DeviceData,
                         ::testing::Combine(::testing::Values(Method::kSoftmax, Method::kNce,
                                                              Method::kCane, Method::kHsm),
                                            ::testing::Bool(), ::testing::Bool()));

TEST(DeviceLearner, BlocksOfClassesTeachTheSameAsAllAtOnce) {
  for (const Method method : {Method::kSoftmax, Method::kCane}) {
    for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
      SmallDataOptions options;
      options.classes = 300;
      const SmallData data(options);
      TrainConfig config = config_of(method);
      config.optimizer = optimizer;
      config.encoder = EncoderKind::kBag;
      config.dim = 6;
      config.l2 = 0.01F;
      Training run(data, config, 300);
      run.start();
      const PlainData plain(run.view);
      SmallSpec small(run);
      small.spec.kept_examples = run.view.size();
      const auto learn = [&](std::uint64_t most_scores) {
        const auto learner = device::make_host_learner(small.spec, most_scores);
        learner->keep_data(plain.rows());
        small.upload(run.state, *learner);
        const std::vector<std::uint32_t> examples = {3, 1, 4, 15, 9, 2, 6, 5};
        for (int step = 0; step < 3; ++step) learner->step(examples, {0.1F, 0});
        return weights_of(small, *learner);
      };
      const auto whole = learn(0);
      const auto blocks = learn(8 * 64);
      for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], blocks[i], 1e-5) << i;
    }
  }
}

TEST(DeviceLearner, GivesBackWhatItWasGiven) {
  const SmallData data = data_of(true);
  TrainConfig config = config_of(Method::kCane);
  config.optimizer = OptimizerKind::kAdagrad;
  config.encoder = EncoderKind::kBag;
  config.dim = 6;
  const Training run(data, config);
  const SmallSpec small(run);
  const auto learner = device::make_host_learner(small.spec);
  ASSERT_EQ(small.tables().size(), device::kTables);
  for (const Table table : small.tables()) {
    const device::TableShape shape = device::shape_of(small.spec, table);
    ASSERT_GT(shape.state, 0U);
    std::vector<float> values(shape.size());
    std::vector<float> state(shape.state);
    std::iota(values.begin(), values.end(), 1.0F);
    std::iota(state.begin(), state.end(), 0.5F);
    learner->upload(table, values);
    learner->upload_state(table, state);
    std::vector<float> got(values.size());
    std::vector<float> got_state(state.size());
    learner->download(table, got);
    learner->download_state(table, got_state);
    EXPECT_EQ(got, values);
    EXPECT_EQ(got_state, state);
    EXPECT_THROW(learner->upload(table, std::span(values).first(1)), std::runtime_error);
  }
}

TEST(DeviceLearner, CountsTheMemoryOfItsTablesDataAndScores) {
  const SmallData data = data_of(false);
  const Training run(data, config_of(Method::kSoftmax));
  SmallSpec small(run);
  small.spec.classes = 1'000'000;
  small.spec.batch = 1024;
  const std::uint64_t streaming = device::host_bytes(small.spec);
  const std::uint64_t weights = 4ULL * 1'000'000 * 16;
  const std::uint64_t scores = 4ULL << 26;
  EXPECT_GT(streaming, weights + scores);
  EXPECT_LT(streaming, weights + scores + (8ULL << 20));
  small.spec.kept_examples = 10'000'000;
  const std::uint64_t kept = device::host_bytes(small.spec) - streaming;
  const std::uint64_t rows = 10'000'000ULL * (4 * 12 + 8);
  EXPECT_GT(kept, rows - (1ULL << 20));
  EXPECT_LT(kept, rows + (1ULL << 20));
}

TEST(DeviceLearner, RefusesWhatItCannotLearnAndSaysWhy) {
  const SmallData data = data_of(false);
  const Training run(data, config_of(Method::kCane));
  const auto refused = [&](const std::function<void(device::LearnerSpec&)>& change) {
    SmallSpec small(run);
    change(small.spec);
    try {
      device::make_host_learner(small.spec);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused([](device::LearnerSpec&) {}), "accepted");
  EXPECT_THAT(refused([](auto& spec) { spec.method = Method::kLomTree; }), HasSubstr("lomtree"));
  EXPECT_THAT(refused([](auto& spec) { spec.select = SelectorKind::kBeam; }), HasSubstr("beam"));
  EXPECT_THAT(refused([](auto& spec) { spec.select = SelectorKind::kTree; }), HasSubstr("tree"));
  EXPECT_THAT(refused([](auto& spec) { spec.beam = 1; }), HasSubstr("beam"));
  EXPECT_THAT(refused([](auto& spec) { spec.rank = 0; }), HasSubstr("rank"));
  EXPECT_THAT(refused([](auto& spec) { spec.noises = 0; }), HasSubstr("noises"));
  EXPECT_THAT(refused([](auto& spec) { spec.batch = 0; }), HasSubstr("batch"));
  EXPECT_THAT(refused([](auto& spec) {
                spec.noise = NoiseKind::kUnigram;
                spec.noise_masses = nullptr;
              }),
              HasSubstr("counts"));
  SmallSpec small(run);
  const auto learner = device::make_host_learner(small.spec);
  EXPECT_THROW(learner->step_buffer(9, {0.1F, 0}), std::runtime_error);
}

TEST(FixedLaw, IsExactWhereTheExcludedHoldNearlyAllTheMass) {
  const std::vector<double> masses = {1.0 - 3e-9, 1e-9, 2e-9};
  const std::vector<double> through = {1.0 - 3e-9, 1.0 - 2e-9, 1.0};
  const device::FixedLaw law = {3, masses.data(), through.data()};
  const std::uint32_t excluded[] = {0};
  const device::Excluded inside = {excluded, 1};
  const double outside = law.outside(inside);
  EXPECT_NEAR(std::exp(law.log_q(1, outside)), 1.0 / 3.0, 1e-6);
  EXPECT_NEAR(std::exp(law.log_q(2, outside)), 2.0 / 3.0, 1e-6);
  EXPECT_EQ(law.draw(inside, outside, 0.1), 1U);
  EXPECT_EQ(law.draw(inside, outside, 0.9), 2U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
