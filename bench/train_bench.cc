// Training of a Beam Tree with 9 candidates and 1 noise: all cores against the plain row-major loop
// on one core. Usage: train_bench [DATA]
#include <cmath>
#include <cstdlib>

#include "bench/support/bench_data.h"
#include "bench/support/bench_training.h"
#include "bench/support/side_by_side.h"
#include "support/plain_cane.h"
#include "train/shuffle.h"

namespace cane {
namespace {

constexpr std::size_t kPlainExamples = 2000;

TrainConfig beam_tree() {
  TrainConfig asked;
  asked.method = Method::kCane;
  asked.select = SelectorKind::kBeam;
  asked.start = StartKind::kZero;
  asked.schedule = Schedule::kConstant;
  return asked;
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

// The largest distance of a weight from that of the plain loop after the same examples.
double distance_from_plain(const DatasetView& data, ModelData model, const TrainState& start,
                           ThreadPool& pool) {
  model.config.batch = 1;
  model.config.deterministic = true;
  const ClassTree& tree = model.tree;
  const BlockLayout& layout = model.tables[kClassTable].layout;
  bench::BenchTraining training(model, data, start, pool);
  training.run_batches(kPlainExamples);
  testing::PlainCane plain(tree, data.dimension());
  run_plain(data, model.config, plain);
  double longest = 0.0;
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    const float* edge = training.weights()[kClassTable].data() + layout.offset(parent) +
                        (node - tree.first_child(parent));
    for (std::size_t i = 0; i <= data.dimension(); ++i) {
      const float weight = edge[i * layout.shape(parent).stride];
      longest = std::max(longest, std::abs(static_cast<double>(weight - plain.edge(node)[i])));
    }
  }
  return longest;
}

int run(int argument_count, char** arguments) {
  const auto source = bench::BenchData::of_arguments(argument_count, arguments);
  const DatasetView data = source.view();
  ThreadPool pool(0);
  const ModelData model = bench::describe_model(data, source.classes(), beam_tree(), pool);
  const TrainState start = bench::fresh_state(model, data, pool);
  const TrainConfig& config = model.config;
  const double distance = distance_from_plain(data, model, start, pool);
  fmt::print(
      "training, {} classes, {} + {}, {} threads; largest difference from the plain loop "
      "after {} examples: {:.1g}\n",
      model.tree.class_count(), config.candidates, config.noises, pool.threads(), kPlainExamples,
      distance);
  if (distance > 1e-2) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  bench::BenchTraining training(model, data, start, pool);
  testing::PlainCane plain(model.tree, data.dimension());
  const auto comparison = bench::side_by_side(
      5, static_cast<double>(std::min(kPlainExamples, data.size())),
      [&] { run_plain(data, config, plain); }, static_cast<double>(data.size()),
      [&] { training.run_epoch(); });
  bench::print("plain row-major loop, one thread", "blocks and batches, all threads", "examples",
               comparison);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
