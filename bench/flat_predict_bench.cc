// Prediction of the best class on one thread: the model's own search against batched matrix
// products that score all classes. Usage: flat_predict_bench [MODEL DATA]
//   without a model: a model of 20,000 classes is trained on synthetic data for a few epochs
//   [--classes K] [--dim D] [--examples N] [--epochs N] of that training
//   [--most N] examples to predict
#include <cmath>
#include <cstdlib>

#include "bench/support/arguments.h"
#include "bench/support/flat_predictor.h"
#include "bench/support/side_by_side.h"
#include "cane/dataset.h"
#include "cane/model.h"
#include "cane/names.h"
#include "cane/synth.h"
#include "cane/train.h"
#include "data/loaded_data.h"
#include "engine/method.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

constexpr int kRounds = 9;
// Examples checked in double precision, one class at a time, before anything is timed.
constexpr std::size_t kProofExamples = 100;
// Tolerance of a score, relative to its magnitude.
constexpr double kTolerance = 1e-4;
// Batch sizes of the matrix product; the fastest one is the reference.
constexpr std::size_t kFlatBatches[] = {16, 64, 256};

struct Trained {
  Model model;
  Dataset data;
};

DataOptions without_cache() {
  DataOptions options;
  options.use_cache = false;
  return options;
}

Trained load(const std::string& model_path, const std::string& data_path) {
  const Model model = Model::load(model_path);
  return {model, Dataset::load(data_path, model, without_cache())};
}

Trained train_on_synthetic(const bench::Arguments& arguments,
                           const testing::TemporaryFolder& folder) {
  SynthOptions shape;
  shape.classes = arguments.number("classes", 20000);
  shape.dimension = arguments.number("dim", 128);
  shape.examples = arguments.number("examples", 5 * shape.classes);
  const SynthReport files = synthesize(folder.path("data"), shape);
  TrainConfig config;
  config.epochs = arguments.number("epochs", 3);
  const Model model = train(Dataset::load(files.train_path, without_cache()), config).model;
  return {model, Dataset::load(files.test_path, model, without_cache())};
}

double double_score(const bench::FlatRows& flat, ClassId k, const RowView& row, FeatureId bias) {
  double score = static_cast<double>(flat.weight(k, bias));
  for (std::uint32_t p = 0; p < row.count; ++p) {
    const std::size_t feature = row.indices == nullptr ? p : row.indices[p];
    score += static_cast<double>(row.values[p]) * static_cast<double>(flat.weight(k, feature));
  }
  return score;
}

class Benchmark {
 public:
  Benchmark(const Trained& trained, std::size_t most)
      : model_(trained.model.data()),
        view_(trained.data.data().view),
        examples_(std::min(view_.size(), most)),
        predictor_(make_predictor(model_, model_.weights)),
        workspace_(predictor_.make_workspace()),
        width_(search_widths(model_, 0).beam),
        rows_(model_, model_.weights[kClassTable].floats(), kRowWidth),
        flat_(rows_),
        search_batches_(view_, examples_, predictor_.prefers_dense_rows()),
        flat_batches_(view_, examples_, true) {}

  int run() {
    search();
    const std::size_t batch = quickest_flat_batch();
    flat(batch);
    fmt::print("prediction, {} classes, {} features, {}, {} examples, top 1, one thread\n",
               model_.vocabulary.labels.size(), view_.dimension(), method(), examples_);
    if (!scores_are_right()) {
      fmt::print("the results differ: nothing is timed\n");
      return EXIT_FAILURE;
    }
    fmt::print("{:<44} {:>12.2f}%\n", "the search finds the best class of all on",
               100 * bench::agreement(found_, flat_found_));
    const auto seconds = bench::take_turns(kRounds, {[&] { flat(batch); }, [&] { search(); }});
    const auto items = static_cast<double>(examples_);
    fmt::print("{:<44} {:>12.0f} examples/s\n{:<44} {:>12.0f} examples/s\n{:<44} {:>12.3f}\n",
               fmt::format("all classes, matrix products of {} examples", batch),
               items / bench::median(seconds[0]), "the model's own search",
               items / bench::median(seconds[1]), "time of the search / time of all classes",
               bench::median_ratio(seconds[1], seconds[0]));
    return EXIT_SUCCESS;
  }

 private:
  std::string method() const {
    const TrainConfig& config = model_.config;
    return config.method == Method::kCane ? fmt::format("cane:{}", name_of(config.select))
                                          : name_of(config.method);
  }

  void search() {
    found_.clear();
    scores_.clear();
    search_batches_.each(kPredictBatch, [&](std::span<const RowView> rows) {
      predictor_.search(rows, width_, 1, workspace_);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        const Candidate best = workspace_.selection.of(e)[0];
        found_.push_back(best.class_id);
        scores_.push_back(best.score);
      }
    });
  }

  void flat(std::size_t batch) {
    flat_found_.clear();
    flat_batches_.each(batch,
                       [&](std::span<const RowView> rows) { flat_.best(rows, flat_found_); });
  }

  std::size_t quickest_flat_batch() {
    std::vector<std::function<void()>> works;
    for (const std::size_t batch : kFlatBatches) {
      works.emplace_back([this, batch] { flat(batch); });
    }
    const auto seconds = bench::take_turns(1, works);
    std::size_t best = 0;
    for (std::size_t i = 1; i < works.size(); ++i) {
      if (seconds[i][0] < seconds[best][0]) best = i;
    }
    return kFlatBatches[best];
  }

  // Checks in double precision that no class beats the one found by flat prediction, and that the
  // score from the search is the product with the row of its class.
  bool scores_are_right() const {
    std::vector<float> scratch(view_.dimension());
    for (std::size_t e = 0; e < std::min(examples_, kProofExamples); ++e) {
      const RowView row = view_.row(e, scratch);
      const auto score = [&](ClassId k) { return double_score(rows_, k, row, view_.dimension()); };
      const double flat_score = score(flat_found_[e]);
      const double tolerance = kTolerance * std::max(1.0, std::abs(flat_score));
      for (ClassId k = 0; k < model_.vocabulary.labels.size(); ++k) {
        if (score(k) > flat_score + tolerance) return false;
      }
      if (std::abs(score(found_[e]) - static_cast<double>(scores_[e])) > tolerance) return false;
    }
    return true;
  }

  const ModelData& model_;
  const DatasetView& view_;
  std::size_t examples_;
  BatchPredictor predictor_;
  BatchPredictor::Workspace workspace_;
  std::uint32_t width_;
  bench::FlatRows rows_;
  bench::FlatPredictor flat_;
  bench::Batches search_batches_;
  bench::Batches flat_batches_;
  std::vector<ClassId> found_;
  std::vector<float> scores_;
  std::vector<ClassId> flat_found_;
};

int run(int argument_count, char** texts) {
  const bench::Arguments arguments(argument_count, texts,
                                   {"classes", "dim", "examples", "epochs", "most"});
  const auto& words = arguments.words();
  if (words.size() == 1 || words.size() > 2) throw Error("give a model and data, or neither");
  const testing::TemporaryFolder folder;
  const Trained trained =
      words.empty() ? train_on_synthetic(arguments, folder) : load(words[0], words[1]);
  if (trained.model.config().method == Method::kHsm) {
    throw Error("hsm scores the nodes of a tree, not a row for every class; use another model");
  }
  return Benchmark(trained, arguments.number("most", 4000)).run();
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** texts) {
  return cane::bench::guarded([&] { return cane::run(argument_count, texts); });
}
