#include "online/recall_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "support/small_data.h"
#include "support/training.h"
#include "train/shuffle.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

TrainConfig recall_tree(std::uint32_t candidates, std::uint32_t depth) {
  TrainConfig config;
  config.method = Method::kRecallTree;
  config.candidates = candidates;
  config.nodes = (1U << depth) - 1;
  config.threads = 1;
  config.lr = 0.3F;
  config.epochs = 3;
  return config;
}

TEST(RecallBound, IsTheShareLessItsErrorAsWrittenInThePaper) {
  for (const double count : {1.0, 10.0, 1000.0}) {
    for (const double share : {0.0, 0.25, 0.9, 1.0}) {
      for (const double factor : {0.0, 0.5, 1.0, 4.0}) {
        const double variance = share * (1.0 - share) / count;
        const double direct = share - std::sqrt(factor) * std::sqrt(variance) -
                              factor * 15.0 / (std::sqrt(18.0) * count);
        EXPECT_NEAR(recall_bound(share * count, count, factor), std::max(direct, 0.0), 1e-12);
      }
    }
  }
  EXPECT_EQ(recall_bound(0.0, 0.0, 1.0), 0.0);
}

TEST(RecallTree, TheExamplesOfItsCandidatesAreThoseOfADirectCount) {
  const SmallData data(SmallDataOptions{});
  Training run(data, recall_tree(4, 3));
  run.start();
  run.run_all();
  const RoutingState& state = routing_of(*run.state.method_state);
  EXPECT_EQ(validation_error(state, run.config, 20), nullptr);
  EXPECT_EQ(state.counts[0], 1200.0);
  for (NodeId node = 0; node < state.tree.node_count(); ++node) {
    std::vector<double> counts;
    for (const ClassEntry& entry : state.histograms[node].entries()) counts.push_back(entry.count);
    std::sort(counts.begin(), counts.end(), std::greater<>());
    counts.resize(std::min<std::size_t>(counts.size(), 4));
    EXPECT_EQ(state.histograms[node].top_mass(),
              std::accumulate(counts.begin(), counts.end(), 0.0));
  }
}

// Of the tree, before an example is learned: where the way of falling bounds ends.
TEST(RecallTree, StopsWhereTheBoundOnRecallWouldFall) {
  SmallDataOptions options;
  options.examples = 2000;
  const SmallData data(options);
  Training run(data, recall_tree(4, 3));
  run.start();
  run.run_all();
  const RoutingState& state = routing_of(*run.state.method_state);
  const RowScorer routers(run.model.tables[kRouterTable].layout,
                          run.state.weights[kRouterTable].data());
  const RowScorer classes(run.model.tables[kClassTable].layout,
                          run.state.weights[kClassTable].data());
  const RecallTreeClassifier classifier(run.model, classes, routers);
  const RowScaling scaling(run.state.weights.back().span());
  std::vector<float> values(run.view.dimension());
  std::vector<float> scaled;
  const auto bound = [&](NodeId node) {
    return recall_bound(state.histograms[node].top_mass(), state.counts[node], 1.0);
  };
  std::size_t inner_stops = 0;
  for (std::size_t example = 0; example < 300; ++example) {
    const RowView row = scaling.scale(run.view.row(example, values), scaled);
    NodeId node = 0;
    while (!state.tree.is_leaf(node)) {
      const NodeId child = state.tree.child(node, routers.score(state.tree.row(node), row) >= 0.0F);
      if (bound(child) < bound(node)) break;
      node = child;
    }
    inner_stops += state.tree.is_leaf(node) ? 0 : 1;
    std::vector<Candidate> found;
    classifier.look(row, 1, found);
    std::vector<ClassId> expected;
    for (const ClassHistogram::Top& top : state.histograms[node].top()) {
      expected.push_back(top.label);
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].class_id, expected[i]);

    // More than it has candidates: then the best of all classes are among them.
    constexpr std::uint32_t kMany = 12;
    ASSERT_LT(expected.size(), kMany);
    found.clear();
    classifier.look(row, kMany, found);
    std::vector<ClassId> labels(20);
    std::iota(labels.begin(), labels.end(), ClassId{0});
    std::vector<float> scores(20);
    classifier.score(row, labels, scores.data());
    std::vector<Candidate> all;
    for (const ClassId label : labels) all.push_back({label, scores[label]});
    const auto better = [](const Candidate& one, const Candidate& other) {
      return is_better(one, other);
    };
    std::sort(all.begin(), all.end(), better);
    std::sort(found.begin(), found.end(), better);
    ASSERT_GE(found.size(), kMany);
    for (std::size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(found[i].class_id, all[i].class_id);
      EXPECT_EQ(found[i].score, all[i].score);
    }
  }
  EXPECT_LT(inner_stops, 300U);
}

TEST(RecallTree, WithAllClassesAtTheRootIsOneAgainstAll) {
  for (const bool sparse : {false, true}) {
    SmallDataOptions options;
    options.sparse = sparse;
    const SmallData data(options);
    Training run(data, recall_tree(20, 0));
    run.start();
    run.run_all();

    const BlockLayout& layout = run.model.tables[kClassTable].layout;
    std::vector<float> weights(layout.size(), 0.0F);
    std::vector<float> squares(20 * (std::size_t{layout.dimension()} + 1), 0.0F);
    RowLearner plain(layout, weights.data(), squares.data());
    const RowScaling scaling(run.state.weights.back().span());
    std::vector<std::uint32_t> order(run.view.size());
    std::vector<float> scratch;
    std::vector<float> scaled;
    RowGather gather;
    for (std::uint32_t epoch = 0; epoch < run.config.epochs; ++epoch) {
      shuffle_examples(run.config.seed, epoch, order);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const double batches = std::ceil(static_cast<double>(order.size()) / run.config.batch);
        const double done = (epoch * batches + static_cast<double>(i / run.config.batch)) /
                            (run.config.epochs * batches);
        const float rate = run.config.lr * static_cast<float>(1.0 - done);
        const auto rows = gather.gather(run.view, std::span<const std::uint32_t>(&order[i], 1),
                                        run.model.flat_width == kRowWidth);
        const RowView row = scaling.scale(rows[0], scaled);
        for (ClassId label = 0; label < 20; ++label) {
          plain.learn(label, row,
                      {plain.score(label, row), label == run.view.label(order[i]), 1.0F, rate},
                      scratch);
        }
      }
    }
    const auto learned = run.state.weights[kClassTable].span();
    ASSERT_TRUE(std::equal(weights.begin(), weights.end(), learned.begin(), learned.end()));
    EXPECT_GT(run.accuracy(), 0.5);
  }
}

TEST(RecallTree, ScoresNoMoreThanItsCandidatesAndOneRouterALevel) {
  const SmallData data(SmallDataOptions{});
  Training run(data, recall_tree(4, 3));
  run.start();
  run.run_all();
  const Evaluation evaluation =
      evaluate(make_predictor(run.model, views_of(run.state.weights)), run.view,
               run.model.class_counts, search_widths(run.model, 0), {}, run.pool);
  EXPECT_LE(evaluation.rows_per_example, 4.0 + 3.0);
  EXPECT_GE(evaluation.coverage, evaluation.accuracy);
}

// Models of version 0.1 may have another factor than 1.
TEST(RecallTree, StopsWhereTheBoundOfItsFileSays) {
  const SmallData data(SmallDataOptions{});
  Training run(data, recall_tree(4, 3));
  run.start();
  run.run_all();
  ModelData model = run.model;
  const auto state = std::make_shared<RoutingState>(routing_of(*run.state.method_state));
  for (const bool right : {false, true}) state->counts[state->tree.child(0, right)] *= 10.0;
  model.method_state = state;
  const auto rows_with = [&](float factor) {
    model.retired.bernoulli = factor;
    return evaluate(make_predictor(model, views_of(run.state.weights)), run.view,
                    model.class_counts, search_widths(model, 0), {}, run.pool)
        .rows_per_example;
  };
  EXPECT_EQ(rows_with(0.0F), 4.0 + 1.0) << "no child has the recall of the root";
  EXPECT_GT(rows_with(1e6F), 4.0 + 1.0) << "no bound is above 0";
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
