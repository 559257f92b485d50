// Prediction of rows that lie in memory, as the Python package asks for it: one row at a time on
// one thread, and many at once on several. bench/python times the same calls from Python.
// Usage: row_predict_bench [MODEL ROWS [ANSWERS]]
//
// ROWS is a NumPy matrix of float32; without a model, one is trained on synthetic data. ANSWERS
// receives a line for each row: the labels of its best classes, separated by tabs.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "bench/support/arguments.h"
#include "bench/support/side_by_side.h"
#include "cane/dataset.h"
#include "cane/error.h"
#include "cane/examples.h"
#include "cane/model.h"
#include "cane/predict.h"
#include "cane/synth.h"
#include "cane/train.h"
#include "data/matrix/npy_array.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

struct Trained {
  Model model;
  NpyArray rows;
};

Trained load(const std::string& model_path, const std::string& rows_path) {
  Trained trained = {Model::load(model_path), NpyArray(rows_path)};
  const NpyArray& rows = trained.rows;
  if (rows.shape().size() != 2 || rows.kind() != 'f' || !rows.is_usable_in_place()) {
    throw Error(fmt::format("{}: it must be a matrix of float32, row after row", rows_path));
  }
  return trained;
}

Trained train_on_synthetic(const testing::TemporaryFolder& folder) {
  SynthOptions shape;
  shape.dimension = 128;
  const SynthReport files = synthesize(folder.path("data"), shape);
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config;
  config.epochs = 2;
  train(Dataset::load(files.train_path, reading), config).model.save(folder.path("model"));
  return load(folder.path("model"), files.train_path);
}

// What the package's `predict` asks for: the best class alone.
PredictOptions for_one_row() {
  PredictOptions options;
  options.probability = Probability::kNone;
  options.threads = 1;
  return options;
}

// What its `predict_top_k` asks for.
PredictOptions for_batch(std::uint32_t top_k, std::uint32_t threads) {
  PredictOptions options;
  options.top_k = top_k;
  options.threads = static_cast<int>(threads);
  return options;
}

class Benchmark {
 public:
  Benchmark(const Trained& trained, const bench::Arguments& arguments)
      : rounds_(static_cast<int>(arguments.number("rounds", 9))),
        top_k_(arguments.number("top-k", 5)),
        threads_(arguments.number("threads", 2)),
        values_(reinterpret_cast<const float*>(trained.rows.data().data())),
        columns_(trained.rows.shape()[1]),
        batch_(std::min<std::size_t>(trained.rows.shape()[0], arguments.number("batch", 100000))),
        rows_(std::min<std::size_t>(batch_, arguments.number("rows", 10000))),
        one_row_(trained.model, for_one_row()),
        many_(trained.model, for_batch(top_k_, threads_)),
        found_(rows_),
        classes_(batch_ * top_k_),
        probabilities_(batch_ * top_k_) {}

  int run(const std::string& answers_path) {
    predict_one_by_one();
    predict_batch();
    for (std::size_t row = 0; row < rows_; ++row) {
      if (found_[row] == classes_[row * top_k_]) continue;
      fmt::print("row {} gets another class alone than among others: nothing is timed\n", row);
      return EXIT_FAILURE;
    }
    if (!answers_path.empty()) write_answers(answers_path);
    const auto seconds =
        bench::take_turns(rounds_, {[this] { predict_one_by_one(); }, [this] { predict_batch(); }});
    fmt::print("{:<44} {:>12.3f} microseconds\n{:<44} {:>12.6f} seconds\n",
               fmt::format("a row, the best class, one thread ({} rows)", rows_),
               1e6 * bench::median(seconds[0]) / static_cast<double>(rows_),
               fmt::format("{} rows, the best {}, {} threads", batch_, top_k_, threads_),
               bench::median(seconds[1]));
    return EXIT_SUCCESS;
  }

 private:
  Examples rows_from(std::size_t first, std::size_t count) const {
    Examples examples;
    examples.features = DenseRows{values_ + first * columns_, count, columns_};
    return examples;
  }

  void predict_one_by_one() {
    for (std::size_t row = 0; row < rows_; ++row) {
      one_row_.predict(rows_from(row, 1), {.classes = &found_[row]});
    }
  }

  void predict_batch() {
    many_.predict(rows_from(0, batch_),
                  {.classes = classes_.data(), .probabilities = probabilities_.data()});
  }

  void write_answers(const std::string& path) const {
    std::ofstream out(path);
    for (std::size_t place = 0; place < classes_.size(); ++place) {
      const std::uint32_t found = classes_[place];
      out << (found == kRejectedClass ? std::string() : many_.label(found))
          << ((place + 1) % top_k_ == 0 ? '\n' : '\t');
    }
    if (!out.flush()) throw Error(fmt::format("{}: cannot be written", path));
  }

  int rounds_;
  std::uint32_t top_k_;
  std::uint32_t threads_;
  const float* values_;
  std::size_t columns_;
  std::size_t batch_;
  std::size_t rows_;
  Predictor one_row_;
  Predictor many_;
  std::vector<std::uint32_t> found_;
  std::vector<std::uint32_t> classes_;
  std::vector<float> probabilities_;
};

int run(int argument_count, char** texts) {
  const bench::Arguments arguments(argument_count, texts,
                                   {"rounds", "top-k", "threads", "rows", "batch"});
  const auto& words = arguments.words();
  if (words.size() == 1 || words.size() > 3) throw Error("give a model and rows, or neither");
  const testing::TemporaryFolder folder;
  const Trained trained = words.empty() ? train_on_synthetic(folder) : load(words[0], words[1]);
  return Benchmark(trained, arguments).run(words.size() == 3 ? words[2] : "");
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** texts) {
  return cane::bench::guarded([&] { return cane::run(argument_count, texts); });
}
