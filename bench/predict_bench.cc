// Prediction of the best class on one thread: a beam of 9 against exhaustive scoring of every
// class's row, flat rows in blocks of 16 with the same kernels. Usage: predict_bench [DATA]
#include <cstdlib>
#include <numeric>

#include "bench/support/bench_data.h"
#include "bench/support/side_by_side.h"
#include "learn/automatic_rate.h"
#include "learn/trainer.h"
#include "predict/batch_predictor.h"
#include "tree/build_tree.h"

namespace cane {
namespace {

constexpr std::uint32_t kBlockClasses = 16;

// The path sums of a tree as one row for every class.
class FlatRows {
 public:
  FlatRows(const ClassTree& tree, const BlockLayout& layout, const float* weights)
      : shape_{layout.dimension(), kBlockClasses},
        classes_(tree.class_count()),
        blocks_((classes_ + kBlockClasses - 1) / kBlockClasses),
        rows_(std::size_t{blocks_} * block_size()) {
    for (ClassId k = 0; k < classes_; ++k) {
      for (NodeId node = tree.leaf_of(k); node != 0; node = tree.parent(node)) {
        const NodeId parent = tree.parent(node);
        const float* edge = weights + layout.offset(parent) + (node - tree.first_child(parent));
        for (std::size_t i = 0; i <= shape_.dimension; ++i) {
          rows_.data()[k / kBlockClasses * block_size() + i * kBlockClasses + k % kBlockClasses] +=
              edge[i * layout.shape(parent).stride];
        }
      }
    }
  }

  void best(std::span<const RowView> rows, std::vector<ClassId>& classes) {
    scores_.resize(rows.size() * blocks_ * kBlockClasses);
    for (std::size_t block = 0; block < blocks_; ++block) {
      tasks_.clear();
      for (std::size_t e = 0; e < rows.size(); ++e) {
        tasks_.push_back({rows[e], 0.0F, scores_.data() + (e * blocks_ + block) * kBlockClasses});
      }
      score_block(rows_.data() + block * block_size(), shape_, tasks_);
    }
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const float* scores = scores_.data() + e * blocks_ * kBlockClasses;
      classes.push_back(static_cast<ClassId>(std::max_element(scores, scores + classes_) - scores));
    }
  }

 private:
  std::size_t block_size() const { return (std::size_t{shape_.dimension} + 1) * kBlockClasses; }

  BlockShape shape_;
  std::uint32_t classes_;
  std::size_t blocks_;
  AlignedBuffer<float> rows_;
  std::vector<float> scores_;
  std::vector<ScoreTask> tasks_;
};

double agreement(const std::vector<ClassId>& a, const std::vector<ClassId>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

int run(int argument_count, char** arguments) {
  const bench::BenchData bench_data(argument_count, arguments);
  const DatasetView data = bench_data.view();
  TrainConfig config;
  config.lr = automatic_rate(data, config.optimizer);
  config.epochs = 3;
  ThreadPool pool(0);
  std::vector<std::string> labels(bench_data.classes());
  const ClassTree tree = build_tree("clustered", data, labels, config.arity, config.seed, pool);
  const BlockLayout layout(tree, data.dimension());
  TrainState state = make_train_state(layout, config);
  {
    Trainer trainer(data, tree, layout, config, state, pool);
    for (; state.epoch < config.epochs; ++state.epoch) {
      trainer.run_epoch([] { return true; });
      state.next_batch = 0;
      state.totals = {};
    }
  }
  const BatchPredictor predictor(tree, layout, state.weights.data());
  FlatRows flat(tree, layout, state.weights.data());
  BatchPredictor::Workspace workspace;
  const std::size_t examples = std::min<std::size_t>(data.size(), 20000);
  std::vector<std::size_t> indices(examples);
  std::iota(indices.begin(), indices.end(), 0U);
  const auto in_batches = [&](const auto& predict) {
    for (std::size_t begin = 0; begin < examples; begin += kPredictBatch) {
      const std::size_t count = std::min(kPredictBatch, examples - begin);
      predict(workspace.gather.gather(data,
                                      std::span<const std::size_t>(indices).subspan(begin, count)));
    }
  };
  const auto search = [&](std::uint32_t width, std::vector<ClassId>& classes) {
    classes.clear();
    in_batches([&](std::span<const RowView> rows) {
      predictor.search(rows, width, 1, workspace);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        classes.push_back(workspace.selection.of(e)[0].label);
      }
    });
  };
  std::vector<ClassId> beam_classes;
  std::vector<ClassId> flat_classes;
  const auto exhaustive = [&] {
    flat_classes.clear();
    in_batches([&](std::span<const RowView> rows) { flat.best(rows, flat_classes); });
  };

  exhaustive();
  search(tree.class_count(), beam_classes);
  const double equal = agreement(beam_classes, flat_classes);
  search(config.candidates, beam_classes);
  fmt::print(
      "prediction, {} classes, top 1, one thread; a beam of all classes agrees with the flat "
      "rows on {:.3f}%, one of {} on {:.1f}%\n",
      tree.class_count(), 100 * equal, config.candidates,
      100 * agreement(beam_classes, flat_classes));
  if (equal < 0.999) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  const auto items = static_cast<double>(examples);
  bench::print("every row", "beam of 9", "examples",
               bench::side_by_side(9, items, exhaustive, items,
                                   [&] { search(config.candidates, beam_classes); }));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
