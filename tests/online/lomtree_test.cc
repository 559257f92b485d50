#include "online/lomtree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "core/simd/adaptive_row.h"
#include "support/small_data.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

TrainConfig lomtree(std::uint32_t nodes) {
  TrainConfig config;
  config.method = Method::kLomTree;
  config.nodes = nodes;
  config.threads = 1;
  config.lr = 0.3F;
  return config;
}

TEST(LomTree, EndsWithPureLeavesOnSeparableData) {
  SmallDataOptions options;
  options.noise = 0.05F;
  const SmallData data(options);
  TrainConfig config = lomtree(400);
  config.epochs = 10;
  Training run(data, config);
  run.start();
  run.run_all();
  const RoutingState& state = routing_of(*run.state.method_state);
  EXPECT_LT(state.tree.inner_count(), 400U);
  std::set<ClassId> predicted;
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    if (!state.tree.is_leaf(node)) continue;
    EXPECT_LE(state.histograms[node].entries().size(), 1U);
    predicted.insert(state.majorities[node]);
  }
  EXPECT_EQ(predicted.size(), 20U);
  EXPECT_GT(run.accuracy(), 0.98);
}

// What validation_error says of a state covers all of it: links, counts that are the sum of the
// children's, histograms, majorities. Weights that are no whole numbers are counted, too.
TEST(LomTree, KeepsAllInvariantsThroughManySwaps) {
  constexpr std::uint32_t kSteps = 10'000;
  constexpr std::uint32_t kNodes = 12;
  for (const bool weighted : {false, true}) {
    SmallDataOptions options;
    options.examples = kSteps;
    options.dimension = 4;
    options.noise = 2.0F;
    SmallData data(options);
    if (weighted) {
      const CounterRandom random(6, RandomPurpose::kSynthetic);
      std::vector<float> weights;
      for (std::uint32_t e = 0; e < kSteps; ++e) {
        weights.push_back(static_cast<float>(0.1 + 3.0 * random.uniform(e, 0)));
      }
      data.set_weights(weights);
    }
    TrainConfig config = lomtree(kNodes);
    config.swap_resistance = 1;
    Training run(data, config);
    run.start();
    const RoutingState& state = routing_of(*run.state.method_state);
    const auto worker = run.method.parts.make_example_worker();
    const CounterRandom random(1, RandomPurpose::kNoise);
    RoutingTree before;
    std::uint32_t swaps = 0;
    for (std::uint32_t example = 0; example < kSteps; ++example) {
      worker->learn(std::span(&example, 1), 0.3F, random);
      ASSERT_LE(state.tree.inner_count(), kNodes);
      const char* what = validation_error(state, run.config, 20);
      ASSERT_EQ(what, nullptr) << what << " after " << example + 1 << " examples";
      swaps += before.inner_count() == kNodes && !(before == state.tree) ? 1 : 0;
      before = state.tree;
    }
    EXPECT_EQ(state.tree.inner_count(), kNodes);
    EXPECT_GT(swaps, 20U);
  }
}

TEST(LomTree, SwapsLessTheMoreItResists) {
  SmallDataOptions options;
  options.examples = 3000;
  options.noise = 1.0F;
  const SmallData data(options);
  std::uint32_t swaps[2] = {0, 0};
  for (const bool resists : {false, true}) {
    TrainConfig config = lomtree(15);
    config.swap_resistance = resists ? 64 : 1;
    Training run(data, config);
    run.start();
    const auto worker = run.method.parts.make_example_worker();
    const CounterRandom random(1, RandomPurpose::kNoise);
    RoutingTree before;
    for (std::uint32_t example = 0; example < 3000; ++example) {
      worker->learn(std::span(&example, 1), 0.3F, random);
      const RoutingTree& tree = routing_of(*run.state.method_state).tree;
      swaps[resists ? 1 : 0] += before.inner_count() == 15 && !(before == tree) ? 1 : 0;
      before = tree;
    }
  }
  EXPECT_LT(swaps[1], swaps[0]);
}

TEST(LomTree, PredictsTheMostFrequentClassOfTheLeaf) {
  const SmallData data(SmallDataOptions{});
  TrainConfig config = lomtree(8);
  config.epochs = 3;
  Training run(data, config);
  run.start();
  run.run_all();
  const RoutingState& state = routing_of(*run.state.method_state);
  const LomTreeClassifier classifier(
      run.model.class_counts, state,
      RowScorer(run.model.tables[kClassTable].layout, run.state.weights[kClassTable].data()));
  const RowScaling scaling(run.state.weights.back().span());
  std::vector<float> values(run.view.dimension());
  std::vector<float> scaled;
  std::vector<ClassId> all(20);
  std::iota(all.begin(), all.end(), ClassId{0});
  for (std::size_t example = 0; example < run.view.size(); ++example) {
    const RowView row = scaling.scale(run.view.row(example, values), scaled);
    for (const std::uint32_t keep : {1U, 20U}) {
      std::vector<Candidate> found;
      classifier.look(row, keep, found);
      const Candidate best = *std::min_element(
          found.begin(), found.end(), [](const auto& a, const auto& b) { return is_better(a, b); });
      NodeId node = 0;
      while (!state.tree.is_leaf(node)) {
        const float margin =
            score_row(run.state.weights[kClassTable].data() +
                          run.model.tables[kClassTable].layout.offset(state.tree.row(node)),
                      run.view.dimension(), row);
        node = state.tree.child(node, margin >= 0.0F);
      }
      EXPECT_EQ(best.class_id, state.majorities[node]);
    }
    std::vector<float> scores(20);
    classifier.score(row, all, scores.data());
    double sum = 0.0;
    for (const float score : scores) sum += std::exp(static_cast<double>(score));
    EXPECT_NEAR(sum, 1.0, 1e-5);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
