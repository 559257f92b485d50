// Training a Beam Tree, 9 candidates and 1 noise: all cores against the plain row-major loop on
// one. Usage: train_bench [DATA]
#include <cmath>
#include <cstdlib>

#include "bench/support/bench_data.h"
#include "bench/support/side_by_side.h"
#include "learn/automatic_rate.h"
#include "learn/shuffle.h"
#include "learn/trainer.h"
#include "methods/choose.h"
#include "methods/method.h"
#include "support/plain_cane.h"
#include "tree/build_tree.h"

namespace cane {
namespace {

constexpr std::size_t kPlainExamples = 2000;

// A Beam Tree of a dataset whose labels have no names.
ModelData bench_model(const DatasetView& data, std::uint32_t classes, ThreadPool& pool) {
  TrainConfig asked;
  asked.method = Method::kCane;
  asked.select = Select::kBeam;
  asked.schedule = Schedule::kConstant;
  ModelData model;
  model.config = choose(asked, facts_of(data, classes)).config;
  model.config.lr = automatic_rate(data, model.config.optimizer);
  model.vocabulary.labels.resize(classes);
  model.tree = build_tree("clustered", data, model.vocabulary.labels, model.config.arity,
                          model.config.seed, pool);
  model.tables = make_tables(model.config, model.tree, classes, data.dimension(), kRowWidth);
  return model;
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
double distance_from_plain(const DatasetView& data, ModelData model, ThreadPool& pool) {
  TrainConfig& config = model.config;
  config.batch = 1;
  config.deterministic = true;
  const ClassTree& tree = model.tree;
  const BlockLayout& layout = model.tables[kClassTable].layout;
  TrainState state = make_train_state(model.tables, config);
  const TrainingMethod method = make_training_method(model, data, state.weights);
  Trainer trainer(data, method.parts, config, state, pool);
  std::size_t batches = 0;
  trainer.run_epoch([&] { return ++batches < kPlainExamples; });
  testing::PlainCane plain(tree, data.dimension());
  run_plain(data, config, plain);
  double longest = 0.0;
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    const float* edge = state.weights[kClassTable].data() + layout.offset(parent) +
                        (node - tree.first_child(parent));
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
  ThreadPool pool(0);
  const ModelData model = bench_model(data, static_cast<std::uint32_t>(bench_data.classes()), pool);
  const TrainConfig& config = model.config;
  const ClassTree& tree = model.tree;
  const double distance = distance_from_plain(data, model, pool);
  fmt::print(
      "training, {} classes, {} + {}, {} threads; largest difference from the plain loop "
      "after {} examples: {:.1g}\n",
      tree.class_count(), config.candidates, config.noises, pool.threads(), kPlainExamples,
      distance);
  if (distance > 1e-2) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  TrainState state = make_train_state(model.tables, config);
  const TrainingMethod method = make_training_method(model, data, state.weights);
  Trainer trainer(data, method.parts, config, state, pool);
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
