// Training a Beam Tree, 9 candidates and 1 noise: all cores against the plain row-major loop on
// one. Usage: train_bench [DATA]
#include <cmath>
#include <cstdlib>

#include "bench/support/bench_data.h"
#include "bench/support/side_by_side.h"
#include "learn/automatic_rate.h"
#include "learn/shuffle.h"
#include "learn/trainer.h"
#include "support/plain_cane.h"
#include "tree/build_tree.h"

namespace cane {
namespace {

constexpr std::size_t kPlainExamples = 2000;

TrainConfig bench_config(const DatasetView& data) {
  TrainConfig config;
  config.lr = automatic_rate(data, config.optimizer);
  config.schedule = Schedule::kConstant;
  return config;
}

void run_plain(const DatasetView& data, const TrainConfig& config, testing::PlainCane& plain) {
  std::vector<std::uint32_t> order(data.size());
  shuffle_examples(config.seed, 0, order);
  const CounterRandom random(config.seed, RandomPurpose::kNoise, 0);
  std::vector<float> scratch(data.dimension());
  for (std::size_t i = 0; i < std::min(kPlainExamples, data.size()); ++i) {
    const std::uint32_t e = order[i];
    plain.learn(data.row(e, scratch), data.label(e), config.candidates, config.noises, config.lr,
                random, e);
  }
}

// The longest distance of a weight from that of the plain loop after the same examples.
double distance_from_plain(const DatasetView& data, const ClassTree& tree, TrainConfig config,
                           ThreadPool& pool) {
  config.batch = 1;
  config.deterministic = true;
  const BlockLayout layout(tree, data.dimension());
  TrainState state = make_train_state(layout, config);
  Trainer trainer(data, tree, layout, config, state, pool);
  std::size_t batches = 0;
  trainer.run_epoch([&] { return ++batches < kPlainExamples; });
  testing::PlainCane plain(tree, data.dimension());
  run_plain(data, config, plain);
  double longest = 0.0;
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    const float* edge =
        state.weights.data() + layout.offset(parent) + (node - tree.first_child(parent));
    for (std::size_t i = 0; i <= data.dimension(); ++i) {
      const float weight = edge[i * layout.shape(parent).stride];
      longest = std::max(longest, std::abs(static_cast<double>(weight - plain.edge(node)[i])));
    }
  }
  return longest;
}

int run(int argument_count, char** arguments) {
  const bench::BenchData bench_data(argument_count, arguments);
  const DatasetView data = bench_data.view();
  TrainConfig config = bench_config(data);
  ThreadPool pool(0);
  std::vector<std::string> labels(bench_data.classes());
  const ClassTree tree = build_tree("clustered", data, labels, config.arity, config.seed, pool);
  const double distance = distance_from_plain(data, tree, config, pool);
  fmt::print(
      "training, {} classes, {} + {}, {} threads; largest difference from the plain loop "
      "after {} examples: {:.1g}\n",
      tree.class_count(), config.candidates, config.noises, pool.threads(), kPlainExamples,
      distance);
  if (distance > 1e-2) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  const BlockLayout layout(tree, data.dimension());
  TrainState state = make_train_state(layout, config);
  Trainer trainer(data, tree, layout, config, state, pool);
  testing::PlainCane plain(tree, data.dimension());
  const auto comparison = bench::side_by_side(
      5, static_cast<double>(std::min(kPlainExamples, data.size())),
      [&] { run_plain(data, config, plain); }, static_cast<double>(data.size()),
      [&] {
        trainer.run_epoch([] { return true; });
        state.next_batch = 0;
        state.totals = {};
      });
  bench::print("plain row-major loop, one thread", "blocks and batches, all threads", "examples",
               comparison);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
