// The learner of a device against the trainer of the CPU, on the same data in the same order.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "device/learner_support.h"
#include "methods/method_table.h"
#include "support/method_rows.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::learn_all;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

enum class Input { kDense, kSparse, kBag };

struct Case {
  const char* name;
  Method method;
  SelectorKind select = SelectorKind::kAuto;
  NoiseKind noise = NoiseKind::kAuto;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  const char* tree = "clustered";
};

TrainConfig config_of(const Case& row, Input input) {
  TrainConfig config;
  config.method = row.method;
  config.noise = row.noise;
  config.optimizer = row.optimizer;
  config.tree = row.tree;
  if (row_of(row.method).has_noises()) config.noises = 4;
  if (row.method == Method::kCane) {
    config.select = row.select;
    config.scorer = ScorerKind::kFlat;
    config.candidates = 5;
    config.rank = 6;
    config.reuse = 1;
  }
  if (row.method == Method::kHsm || row.select == SelectorKind::kTree) config.arity = 4;
  if (input == Input::kBag) {
    config.encoder = EncoderKind::kBag;
    config.dim = 12;
  }
  config.lr = row.optimizer == OptimizerKind::kAdagrad ? 0.3F : input == Input::kBag ? 0.02F : 0.1F;
  if (row.method == Method::kOve) config.lr /= 5.0F;
  config.batch = 16;
  config.epochs = 12;
  config.threads = 1;
  config.deterministic = true;
  return config;
}

SmallData data_of(Input input, std::uint32_t examples = 500) {
  SmallDataOptions options;
  options.examples = examples;
  options.noise = 0.2F;
  options.sparse = input != Input::kDense;
  return SmallData(options);
}

class DeviceLearning : public ::testing::TestWithParam<std::tuple<Case, Input>> {};

TEST_P(DeviceLearning, ReachesTheAccuracyOfTheCpu) {
  const auto& [row, input] = GetParam();
  const SmallData data = data_of(input);
  Training cpu(data, config_of(row, input));
  cpu.start();
  cpu.run_all();
  Training run(data, config_of(row, input));
  run.start();
  SmallSpec small(run);
  small.spec.kept_examples = run.view.size();
  const PlainData plain(run.view);
  small.spec.kept_values = plain.values.size();
  const auto learner = device::make_host_learner(small.spec);
  learner->keep_data(plain.rows());
  const device::LearnerStats stats = learn_all(small, run, *learner);
  EXPECT_EQ(stats.examples, run.view.size());
  EXPECT_GT(stats.rows_scored, 0U);
  // A blind guess is right in one of twenty.
  EXPECT_GT(cpu.accuracy(), 0.5);
  EXPECT_GT(run.accuracy(), cpu.accuracy() - 0.03);
  EXPECT_LT(stats.loss / stats.weight, 1.5 * cpu.last_loss + 0.1);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Case, Input>>& row) {
  const char* const inputs[] = {"dense", "sparse", "bag"};
  const auto& [method, input] = row.param;
  return std::string(method.name) + "_" + inputs[static_cast<int>(input)];
}

const Case kCases[] = {
    {"softmax", Method::kSoftmax},
    {"softmax_adagrad", Method::kSoftmax, SelectorKind::kAuto, NoiseKind::kAuto,
     OptimizerKind::kAdagrad},
    {"nce", Method::kNce},
    {"neg_adagrad", Method::kNeg, SelectorKind::kAuto, NoiseKind::kAuto, OptimizerKind::kAdagrad},
    {"blackout", Method::kBlackout},
    {"css", Method::kCss},
    {"ove", Method::kOve},
    {"hsm", Method::kHsm},
    {"hsm_adagrad", Method::kHsm, SelectorKind::kAuto, NoiseKind::kAuto, OptimizerKind::kAdagrad},
    {"hsm_huffman", Method::kHsm, SelectorKind::kAuto, NoiseKind::kAuto, OptimizerKind::kSgd,
     "huffman"},
    {"narrow", Method::kCane, SelectorKind::kNarrow, NoiseKind::kProposal},
    {"narrow_uniform", Method::kCane, SelectorKind::kNarrow, NoiseKind::kUniform},
    {"narrow_adagrad", Method::kCane, SelectorKind::kNarrow, NoiseKind::kProposal,
     OptimizerKind::kAdagrad},
    {"tree", Method::kCane, SelectorKind::kTree, NoiseKind::kProposal},
    {"tree_unigram", Method::kCane, SelectorKind::kTree, NoiseKind::kUnigram}};

// Each case with each kind of input; of a cover, each case once.
std::vector<std::tuple<Case, Input>> learnings() {
  std::vector<std::tuple<Case, Input>> all;
  for (std::size_t i = 0; i < std::size(kCases); ++i) {
    for (int input = 0; input < 3; ++input) {
      if (testing::only_a_cover() && static_cast<int>(i % 3) != input) continue;
      all.emplace_back(kCases[i], static_cast<Input>(input));
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Methods, DeviceLearning, ::testing::ValuesIn(learnings()), name_of);

// The synchronous trainer of the CPU takes the same steps where nothing is drawn. Batches of all
// examples let many of them share a row.
class DeviceSteps : public ::testing::TestWithParam<std::tuple<Case, Input, std::uint32_t>> {};

TEST_P(DeviceSteps, AreTheStepsOfTheCpu) {
  const auto& [row, input, batch] = GetParam();
  SmallData data = data_of(input, 100);
  std::vector<float> weights;
  for (int e = 0; e < 100; ++e) weights.push_back(0.5F + 0.01F * static_cast<float>(e));
  data.set_weights(weights);
  TrainConfig config = config_of(row, input);
  config.epochs = 3;
  config.l2 = 0.01F;
  config.clip = 1.0F;
  config.batch = batch;
  config.lr /= 2.0F;
  Training cpu(data, config);
  if (input == Input::kBag) cpu.start();
  cpu.run_all();
  Training run(data, config);
  if (input == Input::kBag) run.start();
  SmallSpec small(run);
  small.spec.kept_examples = run.view.size();
  const PlainData plain(run.view);
  small.spec.kept_values = plain.values.size();
  const auto learner = device::make_host_learner(small.spec);
  learner->keep_data(plain.rows());
  const device::LearnerStats stats = learn_all(small, run, *learner);
  EXPECT_NEAR(stats.loss / stats.weight, cpu.last_loss, 1e-4 * cpu.last_loss);
  for (const device::Table table : small.tables()) {
    const auto expected = small.numbers(table, cpu.state);
    const auto learned = small.numbers(table, run.state);
    float largest = 0.0F;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(learned[i], expected[i], 1e-4) << i;
      largest = std::max(largest, std::abs(expected[i]));
    }
    EXPECT_GT(largest, 0.02F);
  }
}

std::string name_of_steps(
    const ::testing::TestParamInfo<std::tuple<Case, Input, std::uint32_t>>& row) {
  const auto& [method, input, batch] = row.param;
  return name_of({{method, input}, 0}) + "_" + std::to_string(batch);
}

INSTANTIATE_TEST_SUITE_P(
    Paths, DeviceSteps,
    ::testing::Combine(::testing::Values(Case{"hsm", Method::kHsm},
                                         Case{"hsm_huffman", Method::kHsm, SelectorKind::kAuto,
                                              NoiseKind::kAuto, OptimizerKind::kSgd, "huffman"}),
                       ::testing::Values(Input::kDense, Input::kSparse, Input::kBag),
                       ::testing::Values(7, 100)),
    name_of_steps);
// Over sparse rows a softmax decays all weights of a class, not those of an example's features.
INSTANTIATE_TEST_SUITE_P(Softmax, DeviceSteps,
                         ::testing::Combine(::testing::Values(Case{"softmax", Method::kSoftmax}),
                                            ::testing::Values(Input::kDense, Input::kBag),
                                            ::testing::Values(7, 100)),
                         name_of_steps);

}  // namespace CANE_THIS_FILE
}  // namespace cane
