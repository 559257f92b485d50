// Prediction of the best class on one thread: a beam of 9 against exhaustive scoring of every
// class's row, flat rows in blocks of 16 with the same kernels. Usage: predict_bench [DATA]
#include <cstdlib>
#include <numeric>

#include "bench/support/bench_data.h"
#include "bench/support/side_by_side.h"
#include "learn/automatic_rate.h"
#include "learn/trainer.h"
#include "methods/choose.h"
#include "methods/method.h"
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

class Benchmark {
 public:
  Benchmark(const DatasetView& data, const bench::BenchData& source, std::uint32_t arity)
      : data_(data), examples_(std::min<std::size_t>(data.size(), 20000)) {
    const auto classes = static_cast<std::uint32_t>(source.classes());
    TrainConfig asked;
    asked.method = Method::kCane;
    asked.select = Select::kBeam;
    asked.arity = arity;
    asked.epochs = 3;
    ThreadPool pool(0);
    model_.config = choose(asked, facts_of(data, classes)).config;
    model_.config.lr = automatic_rate(data, model_.config.optimizer);
    model_.vocabulary.labels.resize(classes);
    model_.tree =
        build_tree("clustered", data, model_.vocabulary.labels, arity, model_.config.seed, pool);
    model_.tables = make_tables(model_.config, model_.tree, classes, data.dimension(), kRowWidth);
    state_ = make_train_state(model_.tables, model_.config);
    const TrainingMethod method = make_training_method(model_, data, state_.weights);
    Trainer trainer(data, method.parts, model_.config, state_, pool);
    for (; state_.epoch < model_.config.epochs; ++state_.epoch) {
      trainer.run_epoch([] { return true; });
      state_.next_batch = 0;
      state_.totals = {};
    }
  }

  bool run() {
    const BatchPredictor predictor = make_predictor(model_, spans_of(state_.weights));
    workspace_ = predictor.make_workspace();
    const TrainConfig& config = model_.config;
    FlatRows flat(model_.tree, model_.tables[kClassTable].layout, state_.weights[0].data());
    std::vector<ClassId> beam_classes;
    std::vector<ClassId> flat_classes;
    const auto search = [&](std::uint32_t width) {
      beam_classes.clear();
      in_batches([&](std::span<const RowView> rows) {
        predictor.search(rows, width, 1, workspace_);
        for (std::size_t e = 0; e < rows.size(); ++e) {
          beam_classes.push_back(workspace_.selection.of(e)[0].label);
        }
      });
    };
    const auto exhaustive = [&] {
      flat_classes.clear();
      in_batches([&](std::span<const RowView> rows) { flat.best(rows, flat_classes); });
    };
    exhaustive();
    search(model_.tree.class_count());
    const double equal = agreement(beam_classes, flat_classes);
    search(config.candidates);
    fmt::print(
        "prediction, {} classes, arity {}, top 1, one thread; a beam of all classes agrees "
        "with the flat rows on {:.3f}%, one of {} on {:.1f}%\n",
        model_.tree.class_count(), config.arity, 100 * equal, config.candidates,
        100 * agreement(beam_classes, flat_classes));
    if (equal < 0.999) {
      fmt::print("the results differ: nothing is timed\n");
      return false;
    }
    const auto items = static_cast<double>(examples_);
    bench::print(
        "every row", "beam of 9", "examples",
        bench::side_by_side(41, items, exhaustive, items, [&] { search(config.candidates); }));
    return true;
  }

 private:
  template <typename Predict>
  void in_batches(const Predict& predict) {
    for (std::size_t begin = 0; begin < examples_; begin += kPredictBatch) {
      indices_.resize(std::min(kPredictBatch, examples_ - begin));
      std::iota(indices_.begin(), indices_.end(), begin);
      predict(workspace_.gather.gather(data_, std::span<const std::size_t>(indices_)));
    }
  }

  DatasetView data_;
  std::size_t examples_;
  ModelData model_;
  TrainState state_;
  BatchPredictor::Workspace workspace_;
  std::vector<std::size_t> indices_;
};

int run(int argument_count, char** arguments) {
  const bench::BenchData source(argument_count, arguments);
  for (const std::uint32_t arity : {16U, 32U}) {
    if (!Benchmark(source.view(), source, arity).run()) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
