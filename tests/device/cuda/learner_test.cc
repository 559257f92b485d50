// The learner of the plug-in on a GPU against the same learner on the host: every method, kind of
// input and optimiser, on sizes that fill no warp, tile or pitch.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/learner_support.h"
#include "methods/method_table.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using device::DevicePlugin;
using device::Table;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

const DevicePlugin& plugin() {
  static const DevicePlugin* const found = [] {
    void* library = dlopen(CANE_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto function =
        reinterpret_cast<device::PluginFunction>(dlsym(library, device::kPluginFunction));
    return static_cast<const DevicePlugin*>(function());
  }();
  return *found;
}

/// Why there is no GPU to test on; empty: there is one.
std::string why_not() {
  try {
    return plugin().count() > 0 ? "" : "no GPU was found";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

struct Case {
  const char* name;
  Method method;
  SelectorKind select = SelectorKind::kAuto;
  NoiseKind noise = NoiseKind::kAuto;
};

struct Shape {
  std::uint32_t classes;
  FeatureId dimension;
  std::uint32_t batch;
};

enum class Input { kDense, kSparse, kBag, kDenseBag };

class GpuLearner : public ::testing::TestWithParam<std::tuple<Case, Input, OptimizerKind, Shape>> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  }

  static TrainConfig config() {
    const auto& [row, input, optimizer, shape] = GetParam();
    TrainConfig config;
    config.method = row.method;
    config.noise = row.noise;
    config.optimizer = optimizer;
    if (row_of(row.method).has_noises()) config.noises = 3;
    if (row.method == Method::kCane) {
      config.select = row.select;
      config.scorer = ScorerKind::kFlat;
      config.candidates = std::min(5U, shape.classes);
      config.rank = 5;
    }
    if (row.method == Method::kHsm || row.select == SelectorKind::kTree) config.arity = 6;
    if (input == Input::kBag || input == Input::kDenseBag) {
      config.encoder = EncoderKind::kBag;
      config.dim = 11;
    }
    config.lr = 0.05F;
    config.l2 = 0.01F;
    config.clip = 2.0F;
    config.batch = shape.batch;
    return config;
  }
};

std::vector<float> learn(const SmallSpec& small, const Training& run, const PlainData& plain,
                         device::Learner& learner) {
  small.upload(run.state, learner);
  const std::uint32_t batch = small.spec.batch;
  const bool is_kept = small.spec.kept_examples > 0;
  if (is_kept) learner.keep_data(plain.rows());
  for (std::uint32_t step = 0; step < 4; ++step) {
    std::vector<std::uint32_t> examples;
    // The last step has fewer examples than places.
    for (std::uint32_t i = 0; i < (step == 3 ? (batch + 1) / 2 : batch); ++i) {
      examples.push_back((step * batch + i) % static_cast<std::uint32_t>(plain.labels.size()));
    }
    if (is_kept) {
      learner.step(examples, {0.05F, step / 2});
    } else {
      plain.fill(small.spec, examples, learner.next_buffer());
      learner.step_buffer(static_cast<std::uint32_t>(examples.size()), {0.05F, step / 2});
    }
  }
  std::vector<float> all;
  for (const Table table : small.tables()) {
    std::vector<float> values(device::shape_of(small.spec, table).size());
    learner.download(table, values);
    all.insert(all.end(), values.begin(), values.end());
    std::vector<float> state(device::shape_of(small.spec, table).state);
    learner.download_state(table, state);
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

TEST_P(GpuLearner, LearnsAsTheHostDoes) {
  const auto& [row, input, optimizer, shape] = GetParam();
  SmallDataOptions options;
  options.classes = shape.classes;
  options.examples = 200;
  options.dimension = shape.dimension;
  options.sparse = input == Input::kSparse || input == Input::kBag;
  const SmallData data(options);
  Training run(data, config(), shape.classes);
  run.start();
  const PlainData plain(run.view);
  for (const bool is_kept : {true, false}) {
    SmallSpec small(run);
    small.spec.kept_examples = is_kept ? run.view.size() : 0;
    small.spec.kept_values = is_kept ? plain.values.size() : 0;
    const auto host = device::make_host_learner(small.spec);
    const auto expected = learn(small, run, plain, *host);
    const auto gpu = plugin().make_learner(small.spec, 0);
    const auto learned = learn(small, run, plain, *gpu);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(learned[i], expected[i], 2e-3 * (1.0 + std::abs(expected[i]))) << i;
    }
    const device::LearnerStats host_stats = host->take_stats();
    const device::LearnerStats gpu_stats = gpu->take_stats();
    EXPECT_EQ(gpu_stats.examples, host_stats.examples);
    EXPECT_EQ(gpu_stats.covered, host_stats.covered);
    EXPECT_EQ(gpu_stats.rows_scored, host_stats.rows_scored);
    EXPECT_NEAR(gpu_stats.loss, host_stats.loss, 1e-3 * (1.0 + host_stats.loss));
    // Once more: the same bits.
    EXPECT_EQ(learn(small, run, plain, *plugin().make_learner(small.spec, 0)), learned);
  }
}

std::string name_of(const ::testing::TestParamInfo<GpuLearner::ParamType>& tested) {
  const auto& [row, input, optimizer, shape] = tested.param;
  const char* const inputs[] = {"dense", "sparse", "bag", "densebag"};
  return std::string(row.name) + "_" + inputs[static_cast<int>(input)] +
         (optimizer == OptimizerKind::kSgd ? "_sgd_" : "_adagrad_") + std::to_string(shape.classes);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, GpuLearner,
    ::testing::Combine(
        ::testing::Values(
            Case{"softmax", Method::kSoftmax}, Case{"nce", Method::kNce}, Case{"neg", Method::kNeg},
            Case{"blackout", Method::kBlackout}, Case{"css", Method::kCss},
            Case{"ove", Method::kOve}, Case{"hsm", Method::kHsm},
            Case{"narrow", Method::kCane, SelectorKind::kNarrow, NoiseKind::kProposal},
            Case{"tree", Method::kCane, SelectorKind::kTree, NoiseKind::kProposal},
            Case{"tree_unigram", Method::kCane, SelectorKind::kTree, NoiseKind::kUnigram}),
        ::testing::Values(Input::kDense, Input::kSparse, Input::kBag, Input::kDenseBag),
        ::testing::Values(OptimizerKind::kSgd, OptimizerKind::kAdagrad),
        ::testing::Values(Shape{7, 3, 1}, Shape{150, 33, 13}, Shape{1000, 47, 70})),
    name_of);

TEST(GpuPlugin, HasTheVersionOfTheProgram) {
  EXPECT_EQ(plugin().interface_version, device::kInterfaceVersion);
}

TEST(GpuPlugin, SaysHowMuchMemoryALearnerNeedsAndWhenThereIsTooLittle) {
  SmallDataOptions options;
  const SmallData data(options);
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.batch = 16;
  Training run(data, config, 20);
  SmallSpec small(run);
  EXPECT_GT(plugin().needed_bytes(small.spec), 4U * 20 * 13);
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  const device::DeviceFacts facts = plugin().facts(0);
  EXPECT_GT(std::string(facts.name).size(), 0U);
  EXPECT_GE(facts.memory, facts.free_memory);
  const auto learner = plugin().make_learner(small.spec, 0);
  const std::uint64_t taken = facts.free_memory - plugin().facts(0).free_memory;
  // Kernels are loaded later, and an allocation may take a few pages more than it asked for.
  EXPECT_LT(taken, plugin().needed_bytes(small.spec) + (64U << 20));
  EXPECT_LT(plugin().needed_bytes(small.spec), taken + (512U << 20));
  small.spec.kept_examples = 1ULL << 40;
  try {
    plugin().make_learner(small.spec, 0);
    FAIL() << "there is no such GPU";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos) << error.what();
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane

// Products in full float32, so that the host can be compared with.
int main(int count, char** arguments) {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  ::testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
